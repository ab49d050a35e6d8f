#include "CVipsShims.h"

#include <malloc.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>
#include <webp/mux.h>

static const char *const allowed[] = {
    "VipsForeignLoadJpeg", "VipsForeignLoadPng",  "VipsForeignLoadWebp", "VipsForeignLoadNsgif",
    "VipsForeignLoadTiff", "VipsForeignLoadHeif", "VipsForeignSaveJpeg",
    "VipsForeignSaveWebp", "VipsForeignSaveHeif",
};

// GLib's own would ask for the time zone's file and the kind of terminal, which a confined process cannot have.
static GLogWriterOutput write_log(GLogLevelFlags level, const GLogField *fields, gsize count, gpointer unused) {
    if (!(level & (G_LOG_LEVEL_ERROR | G_LOG_LEVEL_CRITICAL | G_LOG_LEVEL_WARNING))) return G_LOG_WRITER_HANDLED;
    for (gsize i = 0; i < count; i++) {
        if (strcmp(fields[i].key, "MESSAGE")) continue;
        const char *text = fields[i].value;
        size_t length = fields[i].length < 0 ? strlen(text) : (size_t)fields[i].length;
        struct iovec line[] = {{(void *)text, length}, {"\n", 1}};
        if (writev(STDERR_FILENO, line, 2) < 0) return G_LOG_WRITER_UNHANDLED;
    }
    return G_LOG_WRITER_HANDLED;
}

int shim_start(void) {
    g_log_set_writer_func(write_log, NULL, NULL);
    // libvips puts larger pictures into temporary files, which a confined process cannot open. The limits on a photo
    // bound the memory that it takes.
    g_setenv("VIPS_DISC_THRESHOLD", "1000g", FALSE);
    if (VIPS_INIT("darkroom-renderer")) return -1;
    vips_concurrency_set(1);
    vips_cache_set_max(0);
    vips_cache_set_max_mem(0);
    vips_cache_set_max_files(0);
    vips_operation_block_set("VipsForeign", TRUE);
    for (size_t i = 0; i < sizeof allowed / sizeof *allowed; i++)
        vips_operation_block_set(allowed[i], FALSE);
    vips_block_untrusted_set(TRUE);
    // Reads the time zone, which libexif asks for.
    tzset();
    return 0;
}

// Computes pixels in this thread, unlike all of libvips' own ways.
static int compute(VipsImage *image) {
    VipsRegion *region = vips_region_new(image);
    int status = vips_region_prepare(region, &(VipsRect){0, 0, image->Xsize, image->Ysize});
    g_object_unref(region);
    return status;
}

int shim_warm_up(void) {
    VipsImage *black = NULL, *grey = NULL, *picture = NULL, *reduced = NULL, *coloured = NULL;
    int status = vips_black(&black, 32, 24, "bands", 3, NULL)
        || vips_linear1(black, &grey, 1, 120, "uchar", TRUE, NULL)
        || vips_copy(grey, &picture, "interpretation", VIPS_INTERPRETATION_sRGB, NULL)
        || vips_resize(picture, &reduced, 0.37, NULL)
        || shim_transform_to_srgb(reduced, 0, "srgb", VIPS_INTENT_RELATIVE, &coloured) || compute(coloured);
    VipsImage *const all[] = {black, grey, picture, reduced, coloured};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i]) g_object_unref(all[i]);
    return status ? -1 : 0;
}

static int load(
    ShimFormat format, const void *bytes, size_t length, int shrink, int strict, int page, int pages,
    VipsImage **out) {
    void *buffer = (void *)bytes;
    VipsFailOn fail_on = strict ? VIPS_FAIL_ON_WARNING : VIPS_FAIL_ON_ERROR;
    VipsAccess access = VIPS_ACCESS_SEQUENTIAL;
    switch (format) {
    case SHIM_JPEG:
        return vips_jpegload_buffer(
            buffer, length, out, "shrink", shrink, "fail_on", fail_on, "access", access, NULL);
    case SHIM_PNG:
        return vips_pngload_buffer(buffer, length, out, "fail_on", fail_on, "access", access, NULL);
    case SHIM_WEBP:
        return vips_webpload_buffer(
            buffer, length, out, "n", pages, "fail_on", fail_on, "access", access, NULL);
    case SHIM_GIF:
        return vips_gifload_buffer(
            buffer, length, out, "n", pages, "fail_on", fail_on, "access", access, NULL);
    case SHIM_TIFF:
        return vips_tiffload_buffer(
            buffer, length, out, "page", page, "fail_on", fail_on, "access", access, NULL);
    case SHIM_HEIF:
        return vips_heifload_buffer(buffer, length, out, "fail_on", fail_on, "access", access, NULL);
    }
    return -1;
}

static double cpu_deadline;
static int cpu_limit_hit, decoder_failed;

static double cpu_seconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return time.tv_sec + time.tv_nsec / 1e9;
}

// What the kernel does for a renderer is much only if it keeps looking for memory. Then the photo is not at fault, and the limit
// of the process ends it.
static int is_kernel_busy(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    double kernel = usage.ru_stime.tv_sec + usage.ru_stime.tv_usec / 1e6;
    return kernel > 1 && kernel > cpu_seconds() / 2;
}

static int is_cpu_used_up(void) { return cpu_deadline > 0 && cpu_seconds() > cpu_deadline && !is_kernel_busy(); }

static void on_progress(VipsImage *image, VipsProgress *progress, void *unused) {
    if (is_cpu_used_up()) {
        cpu_limit_hit = 1;
        vips_image_set_kill(image, TRUE);
    }
}

void shim_begin_photo(void) { cpu_deadline = cpu_limit_hit = decoder_failed = 0; }

void shim_limit_cpu(double seconds) {
    cpu_deadline = cpu_seconds() + seconds;
    cpu_limit_hit = 0;
}

// libvips checks between two strips, and never if its thread finished before this one ran.
int shim_cpu_limit_was_hit(void) { return cpu_limit_hit || is_cpu_used_up(); }

int shim_decoder_failed(void) { return decoder_failed; }

static int pass_on(VipsRegion *to, void *from, void *unused1, void *unused2, gboolean *stop) {
    const VipsRect *area = &to->valid;
    if (vips_region_prepare(from, area)) {
        decoder_failed = 1;
        return -1;
    }
    return vips_region_region(to, from, area, area->left, area->top);
}

// libvips decodes while a later operation runs, and an error does not say which of both failed. So an image that does
// nothing but notice a failure stands between them.
static int watch(VipsImage *loaded, VipsImage **out) {
    VipsImage *image = vips_image_new();
    vips_image_set_progress(loaded, TRUE);
    g_signal_connect(loaded, "eval", G_CALLBACK(on_progress), NULL);
    vips_object_local(image, loaded);
    if (vips_image_pipelinev(image, VIPS_DEMAND_STYLE_ANY, loaded, NULL)
        || vips_image_generate(image, vips_start_one, pass_on, vips_stop_one, loaded, NULL)) {
        g_object_unref(image);
        return -1;
    }
    *out = image;
    return 0;
}

int shim_load(
    ShimFormat format, const void *bytes, size_t length, int shrink, int strict, int page, int pages,
    VipsImage **out) {
    VipsImage *loaded = NULL;
    if (load(format, bytes, length, shrink, strict, page, pages, &loaded)) {
        if (loaded) g_object_unref(loaded);
        decoder_failed = 1;
        return -1;
    }
    return watch(loaded, out);
}

enum { BLOCK = 32 };

static void transpose_block(
    const VipsPel *from, VipsPel *to, int width, int height, int bands, int left, int top) {
    int bottom = VIPS_MIN(top + BLOCK, height), right = VIPS_MIN(left + BLOCK, width);
    // Copies three bytes as four; the next pixel overwrites the fourth. The last pixel of a column has no next pixel.
    int quick = bands != 3 ? top : bottom == height ? bottom - 1 : bottom;
    size_t row = (size_t)width * bands;
    for (int x = left; x < right; x++) {
        const VipsPel *source = from + top * row + (size_t)x * bands;
        VipsPel *target = to + ((size_t)x * height + top) * bands;
        int y = top;
        for (; y < quick; y++, source += row, target += 3) memcpy(target, source, 4);
        for (; y < bottom; y++, source += row, target += bands)
            for (int band = 0; band < bands; band++) target[band] = source[band];
    }
}

// Turns rows into columns, in blocks so that both sides stay in the cache.
static int transpose(VipsImage *image, VipsImage **out) {
    int width = image->Xsize, height = image->Ysize, bands = image->Bands;
    VipsImage *memory = vips_image_copy_memory(image);
    if (!memory) return -1;
    const VipsPel *from = (const VipsPel *)vips_image_get_data(memory);
    size_t length = (size_t)width * height * bands;
    VipsPel *to = from ? g_try_malloc(length) : NULL;
    if (!to) {
        if (from) vips_error("transpose", "out of memory");
        g_object_unref(memory);
        return -1;
    }
    for (int top = 0; top < height; top += BLOCK)
        for (int left = 0; left < width; left += BLOCK)
            transpose_block(from, to, width, height, bands, left, top);
    VipsImage *plain = vips_image_new_from_memory(to, length, height, width, bands, VIPS_FORMAT_UCHAR);
    if (plain) g_signal_connect_swapped(plain, "close", G_CALLBACK(g_free), to);
    else g_free(to);
    if (plain) {
        // The profile gives the meaning of the colour values. Nothing else of the image is needed.
        const void *profile = NULL;
        size_t profile_length = 0;
        plain->Type = memory->Type;
        if (vips_image_get_typeof(memory, VIPS_META_ICC_NAME)
            && vips_image_get_blob(memory, VIPS_META_ICC_NAME, &profile, &profile_length) == 0)
            vips_image_set_blob_copy(plain, VIPS_META_ICC_NAME, profile, profile_length);
        *out = plain;
    }
    g_object_unref(memory);
    return plain ? 0 : -1;
}

// Premultiplies, so that the colours of transparent pixels do not bleed into their neighbours.
static int resize_with_alpha(VipsImage *image, double horizontal, double vertical, VipsImage **out) {
    VipsImage *weighed = NULL, *reduced = NULL, *plain = NULL;
    int status = vips_premultiply(image, &weighed, NULL)
        || vips_resize(weighed, &reduced, horizontal, "vscale", vertical, NULL)
        || vips_unpremultiply(reduced, &plain, NULL) || vips_cast(plain, out, image->BandFmt, NULL);
    VipsImage *const all[] = {weighed, reduced, plain};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i]) g_object_unref(all[i]);
    return status ? -1 : 0;
}

// libvips 8.14 has vector code for reducing columns of bytes but not rows, which takes three times as long. So both
// are reduced as columns, and the image is transposed in between.
int shim_resize(VipsImage *image, double horizontal, double vertical, VipsImage **out) {
    if (vips_image_hasalpha(image)) return resize_with_alpha(image, horizontal, vertical, out);
    if (image->BandFmt != VIPS_FORMAT_UCHAR || horizontal >= 1 || vertical > 1)
        return vips_resize(image, out, horizontal, "vscale", vertical, NULL);
    VipsImage *lower = NULL, *lying = NULL, *reduced = NULL;
    int status = vips_resize(image, &lower, 1.0, "vscale", vertical, NULL) || transpose(lower, &lying)
        || vips_resize(lying, &reduced, 1.0, "vscale", horizontal, NULL) || transpose(reduced, out);
    VipsImage *const all[] = {lower, lying, reduced};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i]) g_object_unref(all[i]);
    return status ? -1 : 0;
}

int shim_crop(VipsImage *image, int left, int top, int width, int height, VipsImage **out) {
    return vips_extract_area(image, out, left, top, width, height, NULL);
}

int shim_first_bands(VipsImage *image, int bands, VipsImage **out) {
    return vips_extract_band(image, out, 0, "n", bands, NULL);
}

int shim_grey(VipsImage *image, VipsImage **out) {
    VipsImage *grey = NULL, *alpha = NULL, *both = NULL;
    int has_alpha = vips_image_hasalpha(image);
    int status = vips_extract_band(image, &grey, 0, NULL)
        || (has_alpha && vips_extract_band(image, &alpha, image->Bands - 1, NULL))
        || (has_alpha && vips_bandjoin2(grey, alpha, &both, NULL))
        || vips_copy(
            has_alpha ? both : grey, out, "interpretation",
            image->BandFmt == VIPS_FORMAT_USHORT ? VIPS_INTERPRETATION_GREY16 : VIPS_INTERPRETATION_B_W, NULL);
    VipsImage *const all[] = {grey, alpha, both};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i]) g_object_unref(all[i]);
    return status ? -1 : 0;
}

int shim_unpremultiply(VipsImage *image, VipsImage **out) {
    if (!vips_image_hasalpha(image)) return vips_copy(image, out, NULL);
    double most = image->BandFmt == VIPS_FORMAT_USHORT ? 65535 : 255;
    VipsImage *plain = NULL;
    int status = vips_unpremultiply(image, &plain, "max_alpha", most, NULL)
        || vips_cast(plain, out, image->BandFmt, NULL);
    if (plain) g_object_unref(plain);
    return status ? -1 : 0;
}

int shim_attention_crop(VipsImage *image, int side, VipsImage **out) {
    return vips_smartcrop(image, out, side, side, "interesting", VIPS_INTERESTING_ATTENTION, NULL);
}

int shim_flatten(VipsImage *image, VipsImage **out) {
    if (!vips_image_hasalpha(image)) return vips_copy(image, out, NULL);
    double white = image->Type == VIPS_INTERPRETATION_RGB16 || image->Type == VIPS_INTERPRETATION_GREY16
        ? 65535
        : image->Type == VIPS_INTERPRETATION_scRGB ? 1 : 255;
    VipsArrayDouble *background = vips_array_double_newv(1, white);
    int status = vips_flatten(image, out, "background", background, "max_alpha", white, NULL);
    vips_area_unref(VIPS_AREA(background));
    return status;
}

int shim_expand_range(VipsImage *image, VipsImage **out) {
    int is_wide = image->BandFmt == VIPS_FORMAT_USHORT, alpha = vips_image_hasalpha(image);
    double largest = is_wide ? 65535 : 255, unit = is_wide ? 256 : 1, factor[4], offset[4];
    VipsImage *expanded = NULL;
    if (image->Bands > 4) return vips_copy(image, out, NULL);
    for (int band = 0; band < image->Bands; band++) {
        int is_alpha = alpha && band == image->Bands - 1;
        factor[band] = is_alpha ? 1 : largest / (219 * unit);
        // The cast truncates.
        offset[band] = 0.5 - (is_alpha ? 0 : 16 * unit * factor[band]);
    }
    int status = vips_linear(image, &expanded, factor, offset, image->Bands, NULL)
        || vips_cast(expanded, out, image->BandFmt, NULL);
    if (expanded) g_object_unref(expanded);
    return status ? -1 : 0;
}

static int transform_colours(
    VipsImage *image, int embedded, const char *fallback, VipsIntent intent, VipsImage **out) {
    return vips_icc_transform(
        image, out, "srgb", "embedded", embedded, "input_profile", fallback, "intent", intent, "depth", 8,
        "black_point_compensation", TRUE, NULL);
}

int shim_transform_to_srgb(
    VipsImage *image, int embedded, const char *fallback, VipsIntent intent, VipsImage **out) {
    if (!vips_image_hasalpha(image) || image->BandFmt != VIPS_FORMAT_USHORT)
        return transform_colours(image, embedded, fallback, intent, out);
    // libvips 8.14 clips an alpha channel of 16 bits at 255 when it converts to 8.
    VipsImage *colours = NULL, *alpha = NULL, *converted = NULL, *byte = NULL;
    int status = vips_extract_band(image, &colours, 0, "n", image->Bands - 1, NULL)
        || vips_extract_band(image, &alpha, image->Bands - 1, NULL)
        || transform_colours(colours, embedded, fallback, intent, &converted) || vips_msb(alpha, &byte, NULL)
        || vips_bandjoin2(converted, byte, out, NULL);
    VipsImage *const all[] = {colours, alpha, converted, byte};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i]) g_object_unref(all[i]);
    return status ? -1 : 0;
}

int shim_convert_to_srgb(VipsImage *image, int keep_alpha, VipsImage **out) {
    int bands = keep_alpha && vips_image_hasalpha(image) ? 4 : 3;
    VipsImage *marked = NULL, *converted = NULL, *cut = NULL;
    VipsInterpretation guess = vips_image_guess_interpretation(image);
    if (guess == VIPS_INTERPRETATION_MULTIBAND || !vips_colourspace_issupported(image))
        guess = image->Bands < 3 ? VIPS_INTERPRETATION_B_W : VIPS_INTERPRETATION_sRGB;
    int status = vips_copy(image, &marked, "interpretation", guess, NULL)
        || vips_colourspace(marked, &converted, VIPS_INTERPRETATION_sRGB, NULL)
        || (converted->Bands > bands ? vips_extract_band(converted, &cut, 0, "n", bands, NULL)
                                     : vips_copy(converted, &cut, NULL))
        || vips_cast(cut, out, VIPS_FORMAT_UCHAR, NULL);
    if (marked) g_object_unref(marked);
    if (converted) g_object_unref(converted);
    if (cut) g_object_unref(cut);
    return status ? -1 : 0;
}

int shim_evaluate(VipsImage *image, VipsImage **out) {
    return (*out = vips_image_copy_memory(image)) ? 0 : -1;
}

int shim_orient(VipsImage *image, int orientation, VipsImage **out) {
    VipsImage *copy = NULL, *turned = NULL;
    if (vips_copy(image, &copy, NULL)) return -1;
    vips_image_set_int(copy, VIPS_META_ORIENTATION, orientation);
    int status = vips_autorot(copy, &turned, NULL) || shim_evaluate(turned, out);
    g_object_unref(copy);
    if (turned) g_object_unref(turned);
    return status ? -1 : 0;
}

int shim_save_jpeg(VipsImage *image, int quality, int progressive, void **bytes, size_t *length) {
    return vips_jpegsave_buffer(
        image, bytes, length, "Q", quality, "interlace", progressive, "strip", TRUE, NULL);
}

int shim_save_webp(
    VipsImage *image, int quality, int effort, const void *packet, size_t packet_length, void **bytes,
    size_t *length) {
    void *written = NULL;
    size_t written_length = 0;
    if (vips_webpsave_buffer(
            image, &written, &written_length, "Q", quality, "effort", effort, "strip", TRUE, NULL))
        return -1;
    // libvips 8.14 writes EXIF for the resolution although "strip" is set.
    static const char *const metadata[] = {"EXIF", "XMP ", "ICCP"};
    WebPData whole = {written, written_length}, clean = {NULL, 0};
    WebPMux *mux = WebPMuxCreate(&whole, 0);
    int status = mux ? 0 : -1;
    for (size_t i = 0; !status && i < sizeof metadata / sizeof *metadata; i++) {
        WebPMuxError error = WebPMuxDeleteChunk(mux, metadata[i]);
        status = error == WEBP_MUX_OK || error == WEBP_MUX_NOT_FOUND ? 0 : -1;
    }
    if (!status && packet_length)
        status = WebPMuxSetChunk(mux, "XMP ", &(WebPData){packet, packet_length}, 0) == WEBP_MUX_OK ? 0 : -1;
    if (!status) status = WebPMuxAssemble(mux, &clean) == WEBP_MUX_OK ? 0 : -1;
    if (!status && !(*bytes = g_try_malloc(clean.size))) status = -1;
    if (status) vips_error("webpsave", "the metadata cannot be changed");
    else memcpy(*bytes, clean.bytes, *length = clean.size);
    WebPDataClear(&clean);
    if (mux) WebPMuxDelete(mux);
    g_free(written);
    return status;
}

int shim_save_avif(VipsImage *image, int quality, int effort, void **bytes, size_t *length) {
    return vips_heifsave_buffer(
        image, bytes, length, "Q", quality, "effort", effort, "compression",
        VIPS_FOREIGN_HEIF_COMPRESSION_AV1, "strip", TRUE, NULL);
}

int shim_join_frames(VipsImage **frames, int count, VipsImage *source, VipsImage **out) {
    VipsImage *column = NULL;
    int *delays = NULL, delay_count = 0, loop = 0;
    if (vips_arrayjoin(frames, &column, count, "across", 1, NULL)) return -1;
    int status = vips_copy(column, out, NULL);
    g_object_unref(column);
    if (status) return -1;
    vips_image_set_int(*out, VIPS_META_PAGE_HEIGHT, frames[0]->Ysize);
    if (vips_image_get_typeof(source, "delay")
        && vips_image_get_array_int(source, "delay", &delays, &delay_count) == 0)
        vips_image_set_array_int(*out, "delay", delays, VIPS_MIN(delay_count, count));
    if (vips_image_get_typeof(source, "loop") && vips_image_get_int(source, "loop", &loop) == 0)
        vips_image_set_int(*out, "loop", loop);
    return 0;
}

int shim_samples(VipsImage *image, void **bytes, size_t *length) {
    return (*bytes = vips_image_write_to_memory(image, length)) ? 0 : -1;
}

int shim_start_unconfined(void) {
    // Tests run at once. VIPS_INIT returns to a second caller before the first has loaded all codecs.
    static gsize state;
    enum { FAILED = 1, STARTED };
    if (g_once_init_enter(&state)) {
        gsize result = VIPS_INIT("fixtures") ? FAILED : STARTED;
        vips_concurrency_set(1);
        g_once_init_leave(&state, result);
    }
    return state == STARTED ? 0 : -1;
}

int shim_image_from_samples(
    const void *samples, int width, int height, int bands, VipsInterpretation space, VipsImage **out) {
    VipsImage *image = vips_image_new_from_memory_copy(
        samples, (size_t)width * height * bands, width, height, bands, VIPS_FORMAT_UCHAR);
    if (!image) return -1;
    int status = vips_copy(image, out, "interpretation", space, NULL);
    g_object_unref(image);
    return status;
}

int shim_pattern(
    int width, int height, int bands, int bits, int noisy, VipsInterpretation space, VipsImage **out) {
    enum { SIDE = 64 };
    unsigned short samples[SIDE * SIDE * 4];
    VipsPel *bytes = (VipsPel *)samples;
    unsigned state = 1;
    for (int i = 0; i < SIDE * SIDE * bands; i++) {
        state = state * 1664525 + 1013904223;
        unsigned value = 96 + (noisy ? state >> 27 : 0);
        if (bits > 8) samples[i] = value << (bits - 8);
        else bytes[i] = value;
    }
    VipsImage *tile = vips_image_new_from_memory_copy(
        samples, (size_t)SIDE * SIDE * bands * (bits > 8 ? 2 : 1), SIDE, SIDE, bands,
        bits > 8 ? VIPS_FORMAT_USHORT : VIPS_FORMAT_UCHAR);
    VipsImage *many = NULL, *cut = NULL;
    int status = !tile || vips_replicate(tile, &many, width / SIDE + 1, height / SIDE + 1, NULL)
        || vips_extract_area(many, &cut, 0, 0, width, height, NULL)
        || vips_copy(cut, out, "interpretation", space, NULL);
    VipsImage *const all[] = {tile, many, cut};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i]) g_object_unref(all[i]);
    return status ? -1 : 0;
}

int shim_save(VipsImage *image, const char *suffix, void **bytes, size_t *length) {
    return vips_image_write_to_buffer(image, suffix, bytes, length, NULL);
}

int shim_profile(const char *name, void **bytes, size_t *length) {
    VipsBlob *blob = NULL;
    if (vips_profile_load(name, &blob, NULL) || !blob) return -1;
    const void *data = vips_blob_get(blob, length);
    *bytes = g_malloc(*length);
    memcpy(*bytes, data, *length);
    vips_area_unref(VIPS_AREA(blob));
    return 0;
}

void shim_release(VipsImage *image) { g_object_unref(image); }

void shim_free(void *bytes) { g_free(bytes); }

// glibc fills what it gives out with the opposite of this byte.
void shim_clear_memory(int is_cleared) { mallopt(M_PERTURB, is_cleared ? 0xFF : 0); }
