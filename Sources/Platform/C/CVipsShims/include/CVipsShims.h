// Calls of libvips that Swift cannot make: all operations are variadic, and GObject casts are macros.
// Each returns 0, or -1 with the reason in the vips error buffer, and stores a new reference in `*out`.
#pragma once
#include <stddef.h>
#include <vips/vips.h>

typedef enum {
    SHIM_JPEG,
    SHIM_PNG,
    SHIM_WEBP,
    SHIM_GIF,
    SHIM_TIFF,
    SHIM_HEIF,
} ShimFormat;

/// Starts libvips with one thread, no cache, and only the loaders and savers of `ShimFormat`.
int shim_start(void);

/// Reduces and converts a small built-in picture in the calling thread, so that libraries compile and read what they need
/// while they still can. It decodes and encodes nothing, because libvips starts threads for that.
int shim_warm_up(void);

/// Opens lazily. `bytes` must outlive the image. `shrink` (1, 2, 4, 8) is for JPEG. Decoding fails at warnings if
/// `strict` is set, else at errors. `page`, from 0, is for TIFF, and `pages` for GIF and WebP: 1, or -1 for all, one below the
/// other.
int shim_load(
    ShimFormat format, const void *bytes, size_t length, int shrink, int strict, int page,
    int pages, VipsImage **out);

/// Makes decoding fail once the process has used `seconds` more CPU time.
void shim_limit_cpu(double seconds);
/// Whether the last limit was hit.
int shim_cpu_limit_was_hit(void);
/// Whether `shim_load`, or later the decoder of its image, failed. All other failures are not the photo's.
int shim_decoder_failed(void);
/// Removes the limit, and forgets what happened to the photo before.
void shim_begin_photo(void);

/// Whether memory that is given out is filled with zeros from now on, as is what libheif draws where a tile does not reach.
void shim_clear_memory(int is_cleared);

int shim_resize(VipsImage *image, double horizontal, double vertical, VipsImage **out);
int shim_crop(VipsImage *image, int left, int top, int width, int height, VipsImage **out);
/// The first `bands` values of each pixel.
int shim_first_bands(VipsImage *image, int bands, VipsImage **out);
/// The first band as grey, and the alpha channel if there is one.
int shim_grey(VipsImage *image, VipsImage **out);
/// Divides the colours by the transparency. Does nothing to an image without an alpha channel.
int shim_unpremultiply(VipsImage *image, VipsImage **out);
/// The square of `side` pixels that draws the eye. First reduces the image so that its shorter side fits.
int shim_attention_crop(VipsImage *image, int side, VipsImage **out);
/// Gives the image a white background if it has an alpha channel.
int shim_flatten(VipsImage *image, VipsImage **out);
/// Expands 16 to 235 (of 255; for 65535 in proportion) to the full range. Leaves an alpha channel unchanged.
int shim_expand_range(VipsImage *image, VipsImage **out);
/// Converts to 8-bit sRGB by the embedded profile if it counts and is readable, else by `fallback` ("cmyk", "srgb").
int shim_transform_to_srgb(
    VipsImage *image, int embedded, const char *fallback, VipsIntent intent, VipsImage **out);
/// Converts by the interpretation alone to 8-bit sRGB with three bands, and a fourth for transparency if there is one
/// and it is kept.
int shim_convert_to_srgb(VipsImage *image, int keep_alpha, VipsImage **out);
/// How linear light becomes sRGB; 1 is shown as white.
typedef struct {
    /// HLG's system curve: light is multiplied by `system_scale` and the power `system_exponent` of its luminance, which has
    /// these weights. None if the exponent is 0.
    float luminance[3], system_exponent, system_scale;
    /// The light of the last of the factors by which light is dimmed.
    float brightest;
    /// To sRGB's primaries, row by row.
    float matrix[9];
} ShimColours;
/// The light, up to `largest`, that all but `share` of the pixels have at most in any colour. `linear` is the light of each
/// number that a sample can have: 256 of 8 bits, 65536 of 16. The image must be in memory.
int shim_brightest(
    VipsImage *image, const ShimColours *colours, const float *linear, float largest, double share,
    float *brightest);
/// Converts to 8-bit sRGB with three bands, and a fourth for transparency if there is one. Light is dimmed by the factors
/// for its brightest colour, `gains`, if there are any. What is outside of sRGB is clipped. The image must be in memory.
int shim_map_colours(
    VipsImage *image, const ShimColours *colours, const float *linear, const float *gains, int gain_count,
    VipsImage **out);
/// Evaluates into memory.
int shim_evaluate(VipsImage *image, VipsImage **out);
/// Applies an EXIF orientation, 1 to 8. The image must be in memory.
int shim_orient(VipsImage *image, int orientation, VipsImage **out);
/// Encodes without any metadata. Free `*bytes` with `g_free`. WebP keeps the frames of `shim_join_frames`.
int shim_save_jpeg(VipsImage *image, int quality, int progressive, void **bytes, size_t *length);
/// An XMP packet that is not empty becomes the last chunk.
int shim_save_webp(
    VipsImage *image, int quality, int effort, const void *packet, size_t packet_length, void **bytes,
    size_t *length);
int shim_save_avif(VipsImage *image, int quality, int effort, void **bytes, size_t *length);
/// Joins `count` frames of one size to an animation with the frame times of `source`.
int shim_join_frames(VipsImage **frames, int count, VipsImage *source, VipsImage **out);
/// All samples, interleaved. Free `*bytes` with `g_free`.
int shim_samples(VipsImage *image, void **bytes, size_t *length);

/// For fixtures: starts libvips with all loaders and savers.
int shim_start_unconfined(void);
/// An image from a copy of interleaved 8-bit samples with `bands` bands.
int shim_image_from_samples(
    const void *samples, int width, int height, int bands, VipsInterpretation space, VipsImage **out);
/// For fixtures: faint noise that repeats, or one colour, of 8 or 16 bits; never whole in memory.
int shim_pattern(
    int width, int height, int bands, int bits, int noisy, VipsInterpretation space, VipsImage **out);
/// For fixtures: encodes with the saver of a suffix with options, such as ".png" or ".webp[lossless]".
int shim_save(VipsImage *image, const char *suffix, void **bytes, size_t *length);

/// For fixtures: the bytes of a profile built into libvips ("p3"). Free them with `g_free`.
int shim_profile(const char *name, void **bytes, size_t *length);

void shim_release(VipsImage *image);
void shim_free(void *bytes);
