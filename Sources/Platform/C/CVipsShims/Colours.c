#include "CVipsShims.h"

#include <math.h>

enum { ENCODED = 65536, BINS = 65536 };

// sRGB's numbers for light from 0 to 1 (IEC 61966-2-1).
static const unsigned char *encoded_table(void) {
    static unsigned char table[ENCODED];
    static int is_made;
    for (int i = 0; !is_made && i < ENCODED; i++) {
        double light = i / (ENCODED - 1.0);
        table[i] = 255 * (light <= 0.0031308 ? 12.92 * light : 1.055 * pow(light, 1 / 2.4) - 0.055) + 0.5;
    }
    is_made = 1;
    return table;
}

// A picture in memory.
typedef struct {
    const void *samples;
    size_t pixels;
    int bands, colours, is_wide;
} Picture;

static int open_picture(VipsImage *image, Picture *picture) {
    picture->is_wide = image->BandFmt == VIPS_FORMAT_USHORT;
    picture->bands = image->Bands;
    picture->colours = image->Bands < 3 ? 1 : 3;
    picture->pixels = (size_t)image->Xsize * image->Ysize;
    if ((!picture->is_wide && image->BandFmt != VIPS_FORMAT_UCHAR) || image->Bands > 4) {
        vips_error("colours", "unexpected kind of pixels");
        return -1;
    }
    return (picture->samples = vips_image_get_data(image)) ? 0 : -1;
}

static inline int sample(const Picture *picture, size_t at) {
    return picture->is_wide ? ((const unsigned short *)picture->samples)[at]
                            : ((const unsigned char *)picture->samples)[at];
}

// The light of a pixel, and the brightest of its colours.
static inline float light_of(
    const Picture *picture, const ShimColours *colours, const float *linear, size_t pixel, float light[3]) {
    size_t at = pixel * picture->bands;
    for (int i = 0; i < 3; i++)
        light[i] = linear[sample(picture, at + (picture->colours == 3 ? i : 0))];
    if (colours->system_exponent > 0) {
        float luminance = 0;
        for (int i = 0; i < 3; i++) luminance += colours->luminance[i] * light[i];
        float factor = colours->system_scale * powf(luminance, colours->system_exponent);
        for (int i = 0; i < 3; i++) light[i] *= factor;
    }
    float most = light[0] > light[1] ? light[0] : light[1];
    return most > light[2] ? most : light[2];
}

int shim_brightest(
    VipsImage *image, const ShimColours *colours, const float *linear, float largest, double share,
    float *brightest) {
    Picture picture;
    if (open_picture(image, &picture)) return -1;
    size_t *bins = g_try_new0(size_t, BINS);
    if (!bins) {
        vips_error("colours", "out of memory");
        return -1;
    }
    for (size_t pixel = 0; pixel < picture.pixels; pixel++) {
        float light[3], most = light_of(&picture, colours, linear, pixel, light);
        bins[most >= largest ? BINS - 1 : (int)(most / largest * (BINS - 1))]++;
    }
    size_t above = 0, allowed = share * picture.pixels;
    int bin = BINS - 1;
    while (bin > 0 && (above += bins[bin]) <= allowed) bin--;
    *brightest = (bin + 1) * largest / (BINS - 1);
    g_free(bins);
    return 0;
}

int shim_map_colours(
    VipsImage *image, const ShimColours *colours, const float *linear, const float *gains, int gain_count,
    VipsImage **out) {
    Picture picture;
    if (open_picture(image, &picture)) return -1;
    int has_alpha = picture.bands > picture.colours, bands = 3 + has_alpha;
    size_t length = picture.pixels * bands;
    unsigned char *to = g_try_malloc(length);
    if (!to) {
        vips_error("colours", "out of memory");
        return -1;
    }
    const unsigned char *encoded = encoded_table();
    for (size_t pixel = 0; pixel < picture.pixels; pixel++) {
        float light[3], most = light_of(&picture, colours, linear, pixel, light), gain = 1;
        if (gain_count > 0 && most > 0) {
            float place = most / colours->brightest;
            // Beyond the brightest, all is white.
            gain = place >= 1 ? gains[gain_count - 1] / place
                              : gains[(int)(place * (gain_count - 1) + 0.5f)];
        }
        for (int i = 0; i < 3; i++) {
            const float *row = colours->matrix + 3 * i;
            float value = (row[0] * light[0] + row[1] * light[1] + row[2] * light[2]) * gain;
            int place = value <= 0 ? 0 : value >= 1 ? ENCODED - 1 : (int)(value * (ENCODED - 1) + 0.5f);
            to[pixel * bands + i] = encoded[place];
        }
        if (has_alpha) {
            int alpha = sample(&picture, pixel * picture.bands + picture.colours);
            to[pixel * bands + 3] = picture.is_wide ? alpha >> 8 : alpha;
        }
    }
    VipsImage *mapped = vips_image_new_from_memory(to, length, image->Xsize, image->Ysize, bands, VIPS_FORMAT_UCHAR);
    if (!mapped) {
        g_free(to);
        return -1;
    }
    g_signal_connect_swapped(mapped, "close", G_CALLBACK(g_free), to);
    mapped->Type = VIPS_INTERPRETATION_sRGB;
    *out = mapped;
    return 0;
}
