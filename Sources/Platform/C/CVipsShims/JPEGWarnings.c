// Tells libjpeg's warnings apart by their numbers. libvips asks to fail at the first one.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <jpeglib.h>
#include <jerror.h>

// What cameras and editors get wrong although every pixel is there.
static int is_harmless(const struct jpeg_error_mgr *errors) {
    switch (errors->msg_code) {
    case JWRN_JFIF_MAJOR:       // A version of JFIF that does not exist.
    case JWRN_ADOBE_XFORM:      // The same of Adobe's colours.
    case JWRN_NOT_SEQUENTIAL:   // A scan of all coefficients says that it has only some.
    case JWRN_BOGUS_ICC:        // Profiles are read elsewhere.
        return 1;
    // More data than an interval needs, before its restart marker. At the end of a scan it is what an upload that broke off was
    // filled up with.
    case JWRN_EXTRANEOUS_DATA: return errors->msg_parm.i[1] >= 0xD0 && errors->msg_parm.i[1] <= 0xD7;
    default: return 0;
    }
}

static void (*emit)(j_common_ptr, int);

static void emit_message(j_common_ptr decoder, int level) {
    if (level < 0 && is_harmless(decoder->err)) return;
    emit(decoder, level);
}

// A program's own definition replaces that of libjpeg, in libvips and libtiff too. Each has set what it does with warnings by
// then, and does the same for all of its decoders.
int jpeg_read_header(j_decompress_ptr decoder, boolean require_image) {
    static int (*next)(j_decompress_ptr, boolean);
    if (!next) next = (int (*)(j_decompress_ptr, boolean))dlsym(RTLD_NEXT, "jpeg_read_header");
    if (decoder->err->emit_message != emit_message) {
        emit = decoder->err->emit_message;
        decoder->err->emit_message = emit_message;
    }
    return next(decoder, require_image);
}
