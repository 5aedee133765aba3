# SPDX-License-Identifier: BSD-2-Clause
dist_bashcompletion_DATA = completion/xcodec
zshcompletiondir = $(datadir)/zsh/site-functions
dist_zshcompletion_DATA = completion/_xcodec
fishcompletiondir = $(datadir)/fish/vendor_completions.d
dist_fishcompletion_DATA = completion/xcodec.fish
