/* SPDX-License-Identifier: BSD-2-Clause */
/* What coefficients of JPEGs are coded by (jpeg/model.h): weights and shapes, fitted to 70 pictures
 * at qualities 75, 85 and 95, 4:2:0 and 4:4:4. */
#include "jpeg/model.h"

/* clang-format off */
const uint8_t xc_jpeg_weights[2][64][XC_JPEG_WEIGHTS] = {{
	{28, 4, 4, 9, 1, 2, 0, 0, 0}, {92, 26, 0, 20, 27, 51, 20, 39, 0},
	{99, 25, 0, 36, 25, 42, 42, 28, 0}, {54, 13, 1, 23, 14, 39, 69, 27, 12},
	{64, 8, 1, 34, 34, 48, 42, 55, 0}, {83, 16, 2, 28, 25, 85, 6, 52, 6},
	{85, 15, 2, 23, 13, 52, 0, 33, 5}, {49, 5, 2, 27, 52, 50, 37, 74, 17},
	{65, 6, 2, 45, 31, 55, 60, 52, 0}, {84, 12, 3, 22, 24, 43, 79, 30, 12},
	{89, 12, 1, 18, 25, 30, 126, 30, 10}, {40, 6, 1, 36, 21, 52, 66, 31, 11},
	{61, 5, 0, 32, 27, 47, 63, 55, 15}, {52, 5, 2, 21, 45, 53, 32, 102, 0},
	{88, 16, 4, 22, 21, 68, 0, 41, 8}, {85, 17, 3, 24, 15, 34, 0, 16, 5},
	{24, 8, 3, 28, 61, 36, 32, 61, 10}, {42, 6, 2, 29, 53, 58, 51, 77, 11},
	{59, 6, 2, 46, 31, 70, 64, 54, 10}, {55, 8, 2, 53, 36, 65, 95, 55, 0},
	{107, 13, 3, 24, 29, 58, 140, 35, 9}, {96, 19, 3, 15, 13, 29, 0, 19, 5},
	{22, 8, 3, 47, 25, 33, 62, 24, 11}, {30, 6, 2, 43, 28, 37, 52, 30, 7},
	{54, 5, 2, 45, 35, 55, 45, 61, 15}, {52, 4, 2, 19, 34, 58, 29, 46, 13},
	{13, 7, 3, 18, 32, 24, 26, 33, 0}, {89, 19, 5, 20, 15, 24, 0, 5, 7},
	{109, 24, 7, 21, 13, 0, 0, 0, 8}, {6, 8, 5, 21, 36, 18, 22, 0, 12},
	{12, 7, 4, 26, 35, 28, 26, 30, 12}, {38, 6, 3, 24, 43, 51, 27, 38, 8},
	{28, 6, 2, 23, 24, 32, 33, 35, 8}, {23, 6, 3, 34, 18, 33, 42, 24, 10},
	{12, 10, 6, 51, 23, 31, 0, 27, 0}, {110, 25, 7, 20, 21, 0, 0, 0, 5},
	{4, 12, 7, 0, 26, 0, 0, 25, 9}, {11, 8, 6, 40, 19, 27, 0, 21, 6},
	{29, 7, 4, 34, 21, 38, 40, 24, 8}, {27, 6, 4, 24, 30, 34, 27, 25, 15},
	{9, 6, 3, 25, 22, 29, 19, 17, 8}, {25, 7, 5, 17, 23, 15, 25, 0, 1},
	{25, 11, 8, 22, 0, 0, 21, 0, 0}, {21, 10, 8, 25, 0, 0, 30, 0, 14},
	{12, 7, 5, 23, 23, 23, 22, 0, 15}, {5, 6, 4, 18, 24, 23, 20, 18, 7},
	{18, 8, 5, 26, 25, 36, 26, 25, 12}, {31, 8, 4, 28, 15, 27, 0, 17, 1},
	{17, 12, 8, 0, 24, 0, 0, 24, 0}, {12, 10, 7, 0, 30, 0, 0, 24, 10},
	{11, 8, 5, 30, 21, 24, 0, 18, 11}, {13, 7, 5, 23, 22, 28, 20, 16, 10},
	{9, 8, 6, 22, 20, 22, 23, 0, 3}, {33, 10, 9, 33, 0, 0, 34, 0, 0},
	{13, 9, 7, 32, 0, 0, 33, 0, 18}, {31, 8, 5, 14, 9, 16, 10, 0, 0},
	{26, 7, 5, 11, 13, 12, 0, 11, 0}, {31, 9, 6, 0, 15, 0, 0, 14, 0}, {27, 7, 6, 0, 22, 0, 0, 22, 9},
	{12, 8, 6, 18, 17, 15, 0, 0, 3}, {30, 8, 7, 25, 0, 0, 27, 0, 0}, {13, 10, 6, 33, 0, 0, 0, 0, 15},
	{16, 10, 8, 0, 37, 0, 0, 0, 0}, {13, 11, 9, 0, 0, 0, 0, 0, 0}
}, {
	{13, 4, 13, 12, 6, 5, 0, 0, 0}, {102, 26, 0, 17, 34, 41, 17, 51, 0},
	{106, 24, 0, 34, 36, 29, 100, 43, 0}, {109, 17, 2, 21, 37, 42, 201, 62, 11},
	{91, 10, 3, 17, 18, 99, 100, 107, 0}, {104, 18, 3, 23, 37, 64, 6, 76, 6},
	{110, 17, 2, 16, 19, 37, 0, 24, 4}, {71, 8, 3, 40, 57, 84, 65, 82, 0},
	{115, 7, 2, 43, 17, 91, 75, 69, 0}, {112, 13, 2, 13, 22, 21, 38, 29, 5},
	{82, 17, 2, 10, 12, 0, 0, 6, 6}, {29, 9, 3, 31, 18, 27, 24, 22, 0},
	{68, 5, 2, 23, 22, 37, 24, 26, 0}, {63, 5, 3, 4, 25, 25, 7, 26, 0},
	{83, 18, 3, 13, 9, 0, 0, 2, 4}, {85, 19, 3, 13, 11, 0, 0, 0, 4},
	{15, 9, 6, 11, 23, 18, 9, 22, 2}, {22, 7, 3, 12, 20, 23, 11, 19, 0},
	{29, 6, 3, 15, 10, 23, 16, 7, 0}, {21, 8, 6, 19, 7, 15, 17, 10, 0},
	{87, 16, 3, 9, 11, 0, 0, 0, 4}, {89, 17, 2, 12, 11, 0, 0, 0, 5},
	{11, 10, 6, 23, 9, 15, 26, 10, 2}, {19, 7, 6, 21, 10, 23, 19, 9, 2},
	{22, 6, 4, 17, 15, 25, 13, 14, 1}, {27, 6, 5, 7, 20, 18, 8, 18, 0},
	{16, 10, 7, 10, 25, 12, 10, 23, 0}, {91, 18, 4, 15, 11, 0, 0, 0, 1},
	{122, 14, 6, 12, 15, 0, 0, 0, 2}, {6, 9, 7, 16, 31, 16, 14, 0, 5},
	{10, 6, 6, 13, 26, 20, 10, 27, 6}, {22, 8, 6, 12, 15, 21, 6, 13, 0},
	{23, 7, 4, 15, 11, 19, 12, 13, 0}, {17, 8, 7, 23, 9, 19, 20, 8, 0},
	{10, 12, 8, 28, 10, 13, 0, 10, 0}, {125, 10, 5, 6, 11, 0, 0, 0, 0},
	{9, 14, 11, 0, 16, 0, 0, 17, 4}, {12, 8, 7, 25, 12, 17, 0, 7, 3},
	{16, 6, 6, 16, 11, 18, 22, 11, 4}, {18, 8, 6, 16, 14, 20, 10, 9, 0},
	{15, 7, 5, 11, 20, 19, 7, 19, 2}, {16, 7, 9, 7, 24, 15, 12, 0, 0},
	{13, 13, 11, 17, 0, 0, 13, 0, 0}, {9, 11, 9, 25, 0, 0, 17, 0, 4},
	{11, 6, 5, 14, 27, 16, 13, 0, 3}, {14, 7, 6, 12, 18, 19, 9, 18, 1},
	{15, 8, 6, 11, 15, 20, 15, 8, 3}, {28, 8, 6, 15, 6, 9, 0, 1, 0}, {20, 11, 9, 0, 12, 0, 0, 11, 0},
	{16, 13, 6, 0, 22, 0, 0, 11, 1}, {15, 4, 6, 17, 11, 18, 0, 11, 2},
	{16, 7, 5, 12, 11, 21, 15, 11, 1}, {13, 7, 6, 12, 19, 16, 12, 0, 4},
	{12, 11, 8, 19, 0, 0, 19, 0, 0}, {8, 7, 6, 25, 0, 0, 17, 0, 12}, {29, 10, 6, 5, 8, 9, 3, 0, 0},
	{32, 3, 7, 9, 3, 10, 0, 3, 0}, {33, 8, 8, 0, 8, 0, 0, 1, 0}, {21, 12, 5, 0, 21, 0, 0, 4, 2},
	{16, 10, 5, 18, 18, 13, 0, 0, 1}, {18, 8, 8, 18, 0, 0, 12, 0, 0}, {11, 10, 6, 19, 0, 0, 0, 0, 9},
	{16, 10, 4, 0, 22, 0, 0, 0, 0}, {13, 14, 5, 0, 0, 0, 0, 0, 0}
}};

/* An index each, as a character from the blank on; without ", ? and \\. */
static const char shapes[] =
	"{TFK7:51:213-355}qdhTWRJOB==892(xrilX_[TYHD@:=<-wpio]a[T]JA@<;;9spjqae`XbOFE@=>4"
	"rmjpbgc]dPCF::84oliqche_fTLI;C><njhobigfhUTF;HA4nggnchgel^SQHED<lefmdhhfmcUVKGHA"
	"iddlbihgnc]VMSIDhabjchhgpe[[SQOFf__g`fhhqh^]WTSKg[]e_fhiqha]T]VLfYXc]dgiqjb_X[]U"
	"fTV_Zaeirkc`WY]bSRT_ZaehuogbUXSLNKMWU]`gtrjg[ZVMMHKSQV[dqsml`_XQJDGOLTXanrnodc[N"
	"JBDLIOT^kpoqgg_QFA@JELQYgnnrkjdUG<<EDGMUelmsmlgYD:<B<BIR_gkqool^E98=:=DLZdgppqoa"
	"D35:5:>GU_cnosreF43:27;FSYajntugD,+9-33AKS[ejtwmC,-5.49;JNS_foytE!(2*)/1BFJT]gw|"
	"9!!+!!$&689BFPfyC&)4+-27FLOY^gt}zZLP)31!!!!!!!!!}rejCKF14//.''$!ysloJTR>=9;512.)"
	"xqlrPYUBC=<:420-srmuV_ZGJDD@;860ponuZd_LOJGE>:93onmv]eaQSLLIC=<9klluahgXYTTNIEC<"
	"ijluajgY]VTRKGD<ghjtajk^_YXUNKGAhfgrakj_a]^XSSLFfefqbkj_d__]UROHedfp`jkbdaa^YUTK"
	"fben_hjcebe`[]WNeabm`hhbedcc_]]Ue`al^fgaeded`_`_]^`k_gidfege``^XX[^i]fgdfghgdaa["
	"WX[h[efbfghieab^TTZe[dfbggikgfc]VUZeWaebeglkggdYROUaWab_dfkmkhg_RRTaW^`]dginlhh^"
	"POP^S[^[`ejmmmk`RNQ]RZ[Y^chlnmmdMJLYOVYU]bfknnphUMOXNUXVY_ehlpqjNGJVHPTRT]cekotp"
	"QLKWHSTNTW^dimusNG>NELNJLRW^eiuySKHSALJFOQRX^dp}RJHTENOKQUY_dhrz{UC/!!!!        "
	"|xfT=%!!        t}k^E!!!        uwtiS;!!        yrpn_E%,        rqouf^<;        "
	"ummon`eD        ucaffbUx        sgdentgb        v][[^prn        tNMSU]qz        "
	"d=@>8DFy        uxriWK58        uzpcM5!#        mzukT7!!        gvxp]D$!        "
	"drwueN&!        _ntxkZ5/        ]mrvsdL;        `lotqm[W        ^imoprfc        "
	"_gillpon        ]efhgkpw        ]eghgjnx        ovvm`L;<        swuiW=#-        "
	"kwwn^E!$        etxsdK$!        _owviU-!        Yltxo`9*        VgqwthJ8        "
	"TdnttpYW        Wckpque_        Q`hllssl        U`figmrv        U_fhgkny        "
	"jsuri[KH        nvuncSDG        htvtfR=7        _pwvkT5.        Xkuwo[=.        "
	"SgrxseE2        ObnvvlRD        M^ktur_V        I]gptugb        JTelosrn        "
	"BN[filux        5PZbdfl~        dnsspgYT        fqtrndUS        bputnaME        "
	"YluvpcMA        QfrwtgNA        I_nvvmTC        AVhtxr]I        9ObovwfV        "
	"0K]luxl_        /FXgqvsl        ->Talrtv        '2MVbjn~        Tafmqqmp        "
	"Tafmqqmp        Zglptnff        L`krrqle        DZgruqig        ;Rdqvtid        "
	"0H^mvvlf        )=Tfswpm        $3Laowtm        !&CWitvu        !!6L_mu|        "
	"!!!5K]iw        {]H$!!!!        ~vfC!!!!        xzoR+!!!        uvwd@3,'        "
	"qqwrZG=9        omtwd]LG        pgpolgmU        tbglfjgq        oahgfmms        "
	"n]deblqv        m]dd`ipw        m^eeaiow        uyt`B89:        u{sU.%!!        "
	"nyxa8,%%        iv{jE90+        cqztVKA:        ^mxwdXOJ        [juumf_X        "
	"[grrlmjf        Tcomknnp        R`lkgmrt        Q^iieiqx        R_jieipx        "
	"oxwiQ<==        pywc=3*+        iv{iD7-+        cs|oL@4-        [n{v[MB;        "
	"UixxeYOH        Seuwng]W        Mdsummfc        Maoqlnmm        K]moinqq        "
	"I[kmgkpv        I[kmfjpw        ]pzt]SNJ        bu{pTHB9        ^r{sUG;9        "
	"Wn{vYL>:        OgyycUH@        Jbvzj_RJ        D]txoh]V        B[pwolfa        "
	"CXnunnki        >Slslmop        8Rhpjlou        8Shpiknv        _nxue]TR        "
	"_nxue]TR        ZpyuaWML        TkywdXMG        Hdvzj_RG        C]szof[O        "
	":WoxrmdX        8Slvroic        0Nitpqni        +Lfpnpqo        6E`llnrv        "
	"/Ldmkmow        [kuuheba        [kuuheba        ]mwuf`][        Tiwwga]W        "
	"Ldvykd[W        D[rxojb^        ;Umvpnif        3Mgsppnm        /Icooqpp        "
	"#C^kmpsu        !;Wfhnty        #7Saekr}        y}I2#!!!!!!!!!!!y}I2#!!!!!!!!!!!"
	"y}I2#!!!!!!!!!!!y}I2#!!!!!!!!!!!}{$!!!!!!!!!!!!!z}1!!!!!!!!!!!!!iy;!!!!!!!!!!!!!"
	"jxL*!!!!!!!!!!!![zV:!!!!!!!!!!!!Fz]F2!!!!!!!!!!!>yeSC2$!!!!!!!!!Kwg[OE:3!!!!!!!!"
	"OxfXPH=8,-!!!!!!^wdVKE60+!!%!!!!|ydWKE8/*!!!!!!!}xcVIC7.&!!!!!!!|xdWJD7/'!!!!!!!"
	"|xdWJD7/'!!!!!!!|xdWJD7/'!!!!!!!|xdWJD7/'!!!!!!!|xdWJD7/'!!!!!!!|xdWJD7/'!!!!!!!"
	"|xdWJD7/'!!!!!!!|xdWJD7/'!!!!!!!yi9(!!!!!!!!!!!!yi9(!!!!!!!!!!!!yi9(!!!!!!!!!!!!"
	"yi!!!!!!!!!!!!!!yf!!!!!!!!!!!!!!yi-!!!!!!!!!!!!!xl;!!!!!!!!!!!!!~wS1!!!!!!!!!!!!"
	"}x]D+!!!!!!!!!!!{zgS@.!!!!!!!!!!wznaRE6*!!!!!!!!rxrjaVLB9/)!!!!!pvqkf_XRJC@5!!!!"
	"puojeb^ZSPSK0!!!|tib]UOE=88#!!!!~qg^YSOKB:=+!!!!wg]TNHE@6/3#!!!!~pf]WQNH@9<-!!!!"
	"~pf]WQNH@9<-!!!!~pf]WQNH@9<-!!!!~pf]WQNH@9<-!!!!~pf]WQNH@9<-!!!!~pf]WQNH@9<-!!!!"
	"~pf]WQNH@9<-!!!!z`;*!!!!!!!!!!!!z`;*!!!!!!!!!!!!z`;*!!!!!!!!!!!!{U!!!!!!!!!!!!!!"
	"{]!!!!!!!!!!!!!!zd4!!!!!!!!!!!!!xk@!!!!!!!!!!!!!wnM.!!!!!!!!!!!!}ybJ3!!!!!!!!!!!"
	"yziVD2!!!!!!!!!!vzobTF9-#!!!!!!!sxri`UKB7.+!!!!!ovrmf`XQKDB8#!!!jrpmjfb]WRTN>!!!"
	"stplf_XSLDE<(!!!oqmlifa^XTUPD!!!wrnie^WSLFD:(!!!vqmif`]WRROL@!!!wqmhe`ZVPMKF9!!!"
	"wqmhe`ZVPMKF9!!!wqmhe`ZVPMKF9!!!wqmhe`ZVPMKF9!!!wqmhe`ZVPMKF9!!!wqmhe`ZVPMKF9!!!"
	"zc@/#!!!!!!!!!!!zc@/#!!!!!!!!!!!zc@/#!!!!!!!!!!!{[!!!!!!!!!!!!!!za&!!!!!!!!!!!!!"
	"yf9!!!!!!!!!!!!!xlF(!!!!!!!!!!!!~x]=*!!!!!!!!!!!|yfQ<,!!!!!!!!!!wzm^M=-!!!!!!!!!"
	"tyqf[OD:.%!!!!!!pwrld[QI@74+!!!!mtqmhc]VPJIA,!!!hpomjgd_[VWSD&!!qtpmgb[UOIH@+!!!"
	"monmjfd_[VXSD'!!rspmgb]UOIH@,!!!nonljgd_[VXTE)!!srpmgc]VPJJC/!!!nnmligd`]WZWI+!!"
	"rqolhd_XTMMC,!!!nnmljgda^Y]XF+!!rqpmhd^WRLJ9!!!!onmligd`^ZZPA!!!ze2!!!!!!!!!!!!!"
	"ze2!!!!!!!!!!!!!za!!!!!!!!!!!!!!za/!!!!!!!!!!!!!yg/!!!!!!!!!!!!!xk6!!!!!!!!!!!!!"
	"wmD(!!!!!!!!!!!!|{R8!!!!!!!!!!!!z|]C.!!!!!!!!!!!z{cSD=*!!!!!!!!!z{dTHA=3!+!!!!!!"
	"z|aRDA3'!!!!!!!!z{`QCA1%!!!!!!!!z{`QCA0%!!!!!!!!z{`QCA0%!!!!!!!!z{`QCA0%!!!!!!!!"
	"z{`QCA0%!!!!!!!!z{`QCA0%!!!!!!!!z{`QCA0%!!!!!!!!z{`QCA0%!!!!!!!!z{`QCA0%!!!!!!!!"
	"z{`QCA0%!!!!!!!!z{`QCA0%!!!!!!!!z{`QCA0%!!!!!!!!{U!!!!!!!!!!!!!!{]!!!!!!!!!!!!!!"
	"zb!!!!!!!!!!!!!!zb!!!!!!!!!!!!!!yh(!!!!!!!!!!!!!xm4!!!!!!!!!!!!!wo>!!!!!!!!!!!!!"
	"}zT4!!!!!!!!!!!!|{_E2$!!!!!!!!!!z{hTD2,!!!!!!!!!wzmaULC1/!!!!!!!uxng^ZOM;)5)!!!!"
	"vxlf^ZVKE=;!-!!!vxle]XTJD;9!*!!!vxle]XTJD:9!*!!!vxle]XTJD:9!*!!!vxle]XTJD:9!*!!!"
	"vxle]XTJD:9!*!!!vxle]XTJD:9!*!!!vxle]XTJD:9!*!!!vxle]XTJD:9!*!!!vxle]XTJD:9!*!!!"
	"vxle]XTJD:9!*!!!vxle]XTJD:9!*!!!{S!!!!!!!!!!!!!!{T!!!!!!!!!!!!!!{[!!!!!!!!!!!!!!"
	"{_#!!!!!!!!!!!!!zd(!!!!!!!!!!!!!yi3!!!!!!!!!!!!!xmA!!!!!!!!!!!!!~wU5!!!!!!!!!!!!"
	"|yaH2!!!!!!!!!!!y{kWE3$!!!!!!!!!uzpdUH<2(!!!!!!!rwrkcYPF;2.&!!!!ouqmgb[SMHC<,!!!"
	"lromheb`ZPWP=!!!suokea[VQHKD1!!!suoke`[UQGKD0!!!suoke`[UQGKD0!!!suoke`[UQGKD0!!!"
	"suoke`[UQGKD0!!!suoke`[UQGKD0!!!suoke`[UQGKD0!!!suoke`[UQGKD0!!!suoke`[UQGKD0!!!"
	"suoke`[UQGKD0!!!{W!!!!!!!!!!!!!!{Z!!!!!!!!!!!!!!{]%!!!!!!!!!!!!!za.!!!!!!!!!!!!!"
	"ze4!!!!!!!!!!!!!yh<!!!!!!!!!!!!!wmI)!!!!!!!!!!!!}x[=%!!!!!!!!!!!{zfN8%!!!!!!!!!!"
	"x{m[I7'!!!!!!!!!uyqeXK=0%!!!!!!!pwslcYOE:2+!!!!!mtqnid]UOHF:#!!!hpomkhd`[VXQ=!!!"
	"psqmhb[TMEC5!!!!monmjgd`[UVO;!!!rspmgbZTKDB3!!!!nonmjgd_YUWO7!!!stpmfbYSME62!!!!"
	"qromhe^YUKLE)!!!promhe^YUKLE*!!!promhe^YUKLE*!!!promhe^YUKLE*!!!promhe^YUKLE*!!!"
	"}ooYZLLCB>=55-!!}ooYZLLCB>=55-!!}ooYZLLCB>=55-!!}ooYZLLCB>=55-!!}ooYZLLCB>=55-!!"
	"}ooYZLLCB>=55-!!}ooYZLLCB>=55-!!}ooYZLLCB>=55-!!wffDE.+!!!!!!!!!}ppWXCB3/*+!!!!!"
	"zqqaaOPCC;;0/*!!uqqhg][POLK@@6$!qoojidb[ZXWNMF3!mllihfe`_a`ZYS@!unmigb`ZXWVMME1!"
	"smkigdb^]_^XWQ=!xmlfe_^WVUTMLE-!vmigec`][][UUO;!{mjec^[UTSRJKC,!ylhfd`^[X[XTSN8!"
	"|midb][TSRQKGC-!xmhfba^ZX[ZUSO>!{miec][USSSJMH+!wlhgbb_]Y^]WWR<!D{{SRBA5500%$!!!"
	"D{{SRBA5500%$!!!D{{SRBA5500%$!!!D{{SRBA5500%$!!!D{{SRBA5500%$!!!D{{SRBA5500%$!!!"
	"D{{SRBA5500%$!!!!||G>!!!!!!!!!!!!||FF#!!!!!!!!!!!{{SR65!!!!!!!!!!zzaaLK99.,!!!!!"
	"!wwkj][NNFF53#!!!utlkdcYYTTFG5!!!rrkied__^]UTG'!znnfd]ZSRML@<'!!|mjd`XXSSROHL8$!"
	"x^ZNMFG:B49+(!!!y]VNH>A6::6+1!!!{SPIB47+..0!%!!!zTRJE:<2322%(!!!zUSKF;=3533'*!!!"
	"zUSKF;=3533'*!!!zUSKF;=3533'*!!!zUSKF;=3533'*!!!yqrcaTOHDD=50!!!yqrcaTOHDD=50!!!"
	"yqrcaTOHDD=50!!!yqrcaTOHDD=50!!!yqrcaTOHDD=50!!!yqrcaTOHDD=50!!!yqrcaTOHDD=50!!!"
	"yqrcaTOHDD=50!!!yqrcaTOHDD=50!!!{qs]_@<++#!!!!!!xrsdcRNC<3-!!!!!usqjg]XNIEA.)!!!"
	"ppnmhe`]WWSHC.!!mnklghbc]b]WRF!!vplked]YTUOE@+!!roilef_aY`XUOC!!yqiibaYVPQLC<+!!"
	"upglbe]^V^URL=!!zrgh__VUMOH=;%!!vsel_dY]TZSPJ;!!{rfg]]TSJNG=8%!!vsel`dZ[RZRQH;!!"
	"{sff]]UTKNG87!!!usdm^eX_S^TTLE!!Pyyd`SNF@=9/*!!!Pyyd`SNF@=9/*!!!Pyyd`SNF@=9/*!!!"
	"Pyyd`SNF@=9/*!!!Pyyd`SNF@=9/*!!!Pyyd`SNF@=9/*!!!Pyyd`SNF@=9/*!!!Pyyd`SNF@=9/*!!!"
	"Pyyd`SNF@=9/*!!!!{{^]F=2&!!!!!!!!yyfcQL<5-)!!!!!!wvmi^ZOJB=+'!!!!usnjfa]VUPDA!!!"
	"!uomggaaZ_WTN<!!{qkf`]UQLHE//!!!ysih^^WWPUGGB4!!xeXQKE=>874(1!!!xeVTKGBC9:6/0!!!"
	"wfZVMKEE<=932!!!wfZVMKEE<=:32!!!wfZVMKEE<=:32!!!wfZVMKEE<=:32!!!wfZVMKEE<=:32!!!"
	"wfZVMKEE<=:32!!!xsqf_WNMCG<:/#!!xsqf_WNMCG<:/#!!xsqf_WNMCG<:/#!!xsqf_WNMCG<:/#!!"
	"xsqf_WNMCG<:/#!!xsqf_WNMCG<:/#!!xsqf_WNMCG<:/#!!xsqf_WNMCG<:/#!!xsqf_WNMCG<:/#!!"
	"{rr^XF=.(!!!!!!!wtqgcVOE=5.!!!!!tunmc`TQFF</%!!!prmnfg^^TYPI@0!!kmhmek`fZfY[PG!!"
	"trincgZ^RXMH>-!!onfnbk]fVeVYMD!!utfn_fV[NVJF:*!!podp_lYeScTWJB!!vudo]eSYJSFC6%!!"
	"ppbr]lWdRaPTH>!!uwbnYcRWHREA4*!!pq`t[lUdN`NTEB!!uwaoXcRWISBA3!!!mo^sZnSfNdMYCB!!"
	"Gyz`_OIC9<2,!!!!Gyz`_OIC9<2,!!!!Gyz`_OIC9<2,!!!!Gyz`_OIC9<2,!!!!Gyz`_OIC9<2,!!!!"
	"Gyz`_OIC9<2,!!!!Gyz`_OIC9<2,!!!!Gyz`_OIC9<2,!!!!Dz{^^LG>58.)!!!!!z{][C@*&!!!!!!!"
	"!yyfcQL@8/(!!!!!!ztnf`VQHE<-#!!!!wpogg^^TVME<(!!!rmofk`eYdWWLA!!vuil`cUVKQE=1!!!"
	"urgn^gU_S^LK=:!!}t`gWZMPAG:#!!!!|rchU^OSEQ>=/#!!|rehW_PTGSBA3'!!{rehW`PTGSBA3'!!"
	"{rehW`PTGSBA3'!!{rehW`PTGSBA3'!!{rehW`PTGSBA3'!!{rehW`PTGSBA3'!!vxjiW]JS@P:C-)!!"
	"vxjiW]JS@P:C-)!!vxjiW]JS@P:C-)!!vxjiW]JS@P:C-)!!vxjiW]JS@P:C-)!!vxjiW]JS@P:C-)!!"
	"vxjiW]JS@P:C-)!!vxjiW]JS@P:C-)!!vxjiW]JS@P:C-)!!x{hcKD1-!!!!!!!!wwmkYWFE47(!!!!!"
	"rtlqafTYEO;7'!!!moipcmZfRaMP=3!!gjekbl]kWmVeNM$!pofp_nWgNbKP<3!!kibk^mYlToSeKK!!"
	"pobq[oTgLaHN:1!!jh_kZnVnPpPdGI!!on_sXqQgH_DL4+!!ig]kWoSoMpNbEG!!nn^tWrOfF^BJ3/!!"
	"hf[kVoQpLqKaDG!!ln[uTsLgD^@K,%!!dcThQoLpFtJj>N!!D}veYUFL7G18#!!!D}veYUFL7G18#!!!"
	"D}veYUFL7G18#!!!D}veYUFL7G18#!!!D}veYUFL7G18#!!!D}veYUFL7G18#!!!D}veYUFL7G18#!!!"
	"D}veYUFL7G18#!!!D}veYUFL7G18#!!!!wkUD5#!!!!!!!!!!~shYPB;-*!!!!!!!xqsdfUWEL;2$!!!"
	"!tmqem[eR_LM;*!!!nimdm^jWmUbKH!!rqgo^mTdL]EJ6,!!nmfl^lUkNlM_F9!!vodpVnL`DU;A38!!"
	"vnenZlPcIbCS63!!vnem[kQdJcDT83!!vnfm[kQdJcDT83!!vnfm[kQdJcDT83!!vnfm[kQdJcDT83!!"
	"vnfm[kQdJcDT83!!vnfm[kQdJcDT83!!zujiS[DQ7P3J&3!!zujiS[DQ7P3J&3!!zujiS[DQ7P3J&3!!"
	"zujiS[DQ7P3J&3!!zujiS[DQ7P3J&3!!zujiS[DQ7P3J&3!!zujiS[DQ7P3J&3!!zujiS[DQ7P3J&3!!"
	"}uj^FB%*!!!!!!!!xvknQX8>&3!!!!!!uulqZeIT7G(+!!!!pqko`mTeG^=H(!!!jmglblZjRlNb@B!!"
	"egdg`g]gVnVpN_0!mjdk^lVlNoKe<C!!ge_e]fWfToSsLb2!lh`i[lSmLqHg;B!!gc]dYdUeQpPuHc.!"
	"kf^hWkPoHtEg9@!!faZbWcRdNqNwFd3!ie[gUkOpGuCh4>!!d_W`TaOcKrLxBe-!fdVeQjHqAu=k%B!!"
	"]XNZL]H_FoC{<n;!<~udSUAL4K-D!+!!<~udSUAL4K-D!+!!<~udSUAL4K-D!+!!<~udSUAL4K-D!+!!"
	"<~udSUAL4K-D!+!!<~udSUAL4K-D!+!!<~udSUAL4K-D!+!!<~udSUAL4K-D!+!!!wmT=0!!!!!!!!!!"
	"!}veSL55!!!!!!!!!{sp]`GN3>%#!!!!!upqdlUcF[;D&!!!!plnel[iSkL^=:!!!khicg^gWnVoL[%!"
	"nmfj_jUkLnEa9=!!liff]cYcSnRrDZ&!tief]fUjKmFf,E!!tjeg]eWgMmJh5M!!tjeg]eWgMmJh6M!!"
	"tjeg]eWgMmKh7N!!tjeg]eWgMmKh7N!!tjeg]eWgMmKh7N!!tjeg]eWgMmKh7N!!tjeg]eWgMmKh7N!!"
	"ytmgX]KTAS;L/C'!ytmgX]KTAS;L/C'!ytmgX]KTAS;L/C'!ytmgX]KTAS;L/C'!ytmgX]KTAS;L/C'!"
	"ytmgX]KTAS;L/C'!ytmgX]KTAS;L/C'!ytmgX]KTAS;L/C'!|tldLT5G-D!1!'!!xumjW_CT7K&3!!!!"
	"usnladQ]CW:G!,!!qpmlegZaOaGX5@!!lljjfg_eWgTgHX5!ggfgdfad]h^kUhO!njghdf]dUhSlG^:!"
	"jfdebd_bZh]lTmU!nhffbe[cSiQpFb@!kdcdab^`XgYlSqX!nfdf`dYbQiOrDeB!jd`b_a]`WfXlQs^*"
	"lebd^bVaPgJt@lQ!e^Z^Y^X]SdOjJxi,c^W[T]M]GeCy3s[!VQPSLTLUE^GhE}o!C|vf[VKM=K8F+;!!"
	"C|vf[VKM=K8F+;!!C|vf[VKM=K8F+;!!C|vf[VKM=K8F+;!!C|vf[VKM=K8F+;!!C|vf[VKM=K8F+;!!"
	"C|vf[VKM=K8F+;!!C|vf[VKM=K8F+;!!!}wdQK15&!!!!!!!!|wgZTBD!8!!!!!!!xvmdbPV=O0;!!!!"
	"!utnig]_M^FT/9!!!poljgcdYfTeFS-!!lkhhfec_g^hUeI!qlmggd_`SdQfDU.!rikdg`a][_XePjH!"
	"vikbf_^YX]TcHd@!vjkcf`^ZX^TcHc>!vjkcf`^ZX^TcHc>!vjkcf`^ZX^TcHc>!vjkcf`^ZX^TcHc>!"
	"vjkcf`^ZX^TcHc>!vjkcf`^ZX^TcHc>!vjkcf`^ZX^TcHc>!yhL7+!!!!!!!!!!!yhL7+!!!!!!!!!!!"
	"yhL7+!!!!!!!!!!!{]5!!!!!!!!!!!!!~wX>0$*!!!!!!!!!zaE.!!!!!!!!!!!+|z]D5*!!!!!!!!#-"
	"{zeOA4-&!!!&!%$)x{jVH;2+(!%%$!!&w{n^PE<6.+-+(#!'tyqeYNF>9355-'!#qwskaWOIC<>;6+#'"
	"murngaXRLGIF@4)&jqpnjfb]UQROG<1*suqle]TMGBDA:3'!oromie_XRMMJD9+$utpldYQIC<=<5-#!"
	"rqolif_VNIJF=4-!vtpleYNG><;94/!!qpnmjgaWMFHE=4(!usqngYLD<456,!!!llnoomeXMDD<0!!!"
	"kmruoaMB9%%!!!!!a`aemsngbXbV5!!!";
/* clang-format on */

void xc_jpeg_builtin_shapes(xc_shape_index to[XC_JPEG_SHAPES])
{
	uint8_t *restrict out = to[0];

	for (int i = 0; i < XC_JPEG_SHAPES * XC_SYMBOLS; i++) {
		const uint8_t c = (uint8_t)shapes[i];
		out[i] = (uint8_t)(c - ' ' - (c > '"') - (c > '?') - (c > '\\'));
	}
}
