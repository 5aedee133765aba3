// SPDX-License-Identifier: BSD-2-Clause
// The types of xcodec.js.

/** Bytes of an XC file, or where they come from. */
export type Source = ArrayBuffer | ArrayBufferView | Blob | Response | ReadableStream<Uint8Array>
	| string | URL;

/** A failure of the library: of xc_status, its number and its name. */
export class XCError extends Error {
	status: number;
	code: 'argument' | 'memory' | 'limit' | 'format' | 'truncated' | 'corrupt' | 'unsupported'
		| 'device' | 'io' | 'cancelled' | 'unknown';
}

/** How many workers decode at the same time at most (default: one a processor, up to 4). */
export const settings: {workers: number};

/** Pixels of the whole picture, in full size. */
export interface Region {
	x: number;
	y: number;
	width: number;
	height: number;
}

export interface Info {
	width: number;
	height: number;
	/** 1 grey, 2 grey and alpha, 3 RGB, 4 RGBA */
	channels: 1 | 2 | 3 | 4;
	depth: 8 | 16;
	subsampling: '4:2:0' | '4:2:2' | '4:4:4' | 'grey';
	transform: 'dct' | 'lot' | 'tdlt' | 'none';
	entropy: 'huffman' | 'rans' | 'none' | 'lossless';
	lossless: boolean;
	quality: number;
	/** The most by which a sample of a lossless file is off. */
	maxError: number;
	segments: number;
	tileHeight: number;
	/** Pixels per metre (unit 1) or an aspect ratio (unit 0). */
	density?: {x: number; y: number; unit: number};
	/** Colour as in PNG: gAMA, cHRM, cICP, and an ICC profile. */
	gamma?: number;
	primaries?: number[];
	cicp?: [number, number, number, number];
	icc?: Uint8Array;
	exif?: Uint8Array;
	xmp?: Uint8Array;
}

/** Samples without padding, exactly those that the library decodes. */
export interface Pixels {
	width: number;
	height: number;
	channels: number;
	depth: 8 | 16;
	data: Uint8Array | Uint16Array;
	/** Segments that were decoded as grey, with keepGoing. */
	damaged: number;
	info: Info;
}

/** Rows of a picture that is growing, which begin with row y. Close the bitmap after its use. */
export interface Rows {
	rows: ImageBitmap;
	y: number;
	info: Info;
}

export interface DecodeOptions {
	/**
	 * bitmap (default) and imagedata: in the colours that canvases have, after the browser converted
	 * them from the file's profile; pixels: the file's samples; blob: a PNG file with the profile.
	 */
	as?: 'bitmap' | 'imagedata' | 'pixels' | 'blob';
	/** A half, a quarter or an eighth of the width and height: each pixel is a mean. */
	scale?: 1 | 2 | 4 | 8;
	region?: Region;
	/** Of pixels and blobs: other channels than the file's. */
	channels?: 1 | 2 | 3 | 4;
	/** Damaged and missing segments become grey in place of a failure. */
	keepGoing?: boolean;
	/** Called with rows while a stream or Response is read (in full size, without a region). */
	onrows?: (rows: Rows) => void;
	signal?: AbortSignal;
}

export function decode(source: Source, options: DecodeOptions & {as: 'imagedata'}): Promise<ImageData>;
export function decode(source: Source, options: DecodeOptions & {as: 'pixels'}): Promise<Pixels>;
export function decode(source: Source, options: DecodeOptions & {as: 'blob'}): Promise<Blob>;
export function decode(source: Source, options?: DecodeOptions): Promise<ImageBitmap>;

export function info(source: Source): Promise<Info>;

export interface EncodeOptions {
	/** 1 to 100; default 75 */
	quality?: number;
	/** true: nothing is lost; false: with loss; not given: as suits the picture */
	lossless?: boolean;
	/** 0 to 3; default 2 */
	effort?: number;
}

/** Encodes samples, those of an ImageData or of decode(); loads the encoder's module. */
export function encode(picture: ImageData | Pick<Pixels, 'width' | 'height' | 'channels' | 'data'>,
	options?: EncodeOptions): Promise<Uint8Array>;

/** <xc-img src alt width height> */
export class XcImage extends HTMLElement {
	src: string;
	alt: string;
	readonly complete: boolean;
	readonly naturalWidth: number;
	readonly naturalHeight: number;
}

/** Makes the element known. */
export function define(name?: string): void;

/** Replaces .xc in <img src> and CSS backgrounds by PNG files in memory. Returns what ends it. */
export function replace(root?: Document | Element): () => void;

/** Registers the service worker that answers requests for pictures named .xc with PNG files. */
export function serve(script?: string | URL, options?: RegistrationOptions):
	Promise<ServiceWorkerRegistration>;
