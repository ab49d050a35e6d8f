import CLittleCMS

/// ICC profiles built in code.
package enum ICCProfile {
    /// Adobe RGB (1998), Adobe Systems 2005, 4.3.
    package static var adobeRGB: [UInt8] {
        rgb(
            white: (0.3127, 0.3290), red: (0.64, 0.33), green: (0.21, 0.71), blue: (0.15, 0.06),
            gamma: 2.19921875)
    }

    /// ROMM RGB (ISO 22028-2) with the plain exponent that profiles named ProPhoto RGB have.
    package static var proPhoto: [UInt8] {
        rgb(
            white: (0.3457, 0.3585), red: (0.7347, 0.2653), green: (0.1596, 0.8404), blue: (0.0366, 0.0001),
            gamma: 1.8)
    }

    package static func grey(gamma: Double) -> [UInt8] {
        let curve = cmsBuildGamma(nil, gamma)
        defer { cmsFreeToneCurve(curve) }
        return bytes(of: cmsCreateGrayProfile(cmsD50_xyY(), curve)!)
    }

    /// Two that are for no pixels of photos.
    package static var lab: [UInt8] { bytes(of: cmsCreateLab4Profile(nil)!) }
    package static var xyz: [UInt8] { bytes(of: cmsCreateXYZProfile()!) }

    private static func rgb(
        white: (Double, Double), red: (Double, Double), green: (Double, Double), blue: (Double, Double),
        gamma: Double
    ) -> [UInt8] {
        func point(_ at: (Double, Double)) -> cmsCIExyY { cmsCIExyY(x: at.0, y: at.1, Y: 1) }
        let curve = cmsBuildGamma(nil, gamma)
        defer { cmsFreeToneCurve(curve) }
        var middle = point(white)
        var primaries = cmsCIExyYTRIPLE(Red: point(red), Green: point(green), Blue: point(blue))
        return bytes(of: cmsCreateRGBProfile(&middle, &primaries, [curve, curve, curve])!)
    }

    /// The colours of another RGB profile, only as a table for the perceptual intent.
    package static func perceptualTable(of profile: [UInt8]) -> [UInt8] {
        let source = cmsOpenProfileFromMem(profile, cmsUInt32Number(profile.count))
        let lab = cmsCreateLab4Profile(nil)
        let transform = cmsCreateTransform(
            source, cmsUInt32Number(PT_RGB << 16 | 3 << 3 | 2), lab,
            cmsUInt32Number(PT_Lab << 16 | 3 << 3 | 2),
            cmsUInt32Number(INTENT_RELATIVE_COLORIMETRIC), cmsUInt32Number(cmsFLAGS_NOOPTIMIZE))
        let pipeline = cmsPipelineAlloc(nil, 3, 3)
        let table = cmsStageAllocCLut16bit(nil, 33, 3, 3, nil)
        defer {
            cmsDeleteTransform(transform)
            cmsCloseProfile(source)
            cmsCloseProfile(lab)
            cmsPipelineFree(pipeline)
        }
        let isSampled = cmsStageSampleCLut16bit(
            table,
            { input, output, transform in
                cmsDoTransform(transform, input, output, 1)
                return 1
            }, transform, 0)
        precondition(isSampled != 0)
        // A version 4 table lies between curves; these change nothing.
        for stage in [cmsStageAllocToneCurves(nil, 3, nil), table, cmsStageAllocToneCurves(nil, 3, nil)] {
            precondition(cmsPipelineInsertStage(pipeline, cmsAT_END, stage) != 0)
        }
        let result = cmsCreateProfilePlaceholder(nil)!
        cmsSetProfileVersion(result, 4.3)
        cmsSetDeviceClass(result, cmsSigDisplayClass)
        cmsSetColorSpace(result, cmsSigRgbData)
        cmsSetPCS(result, cmsSigLabData)
        precondition(
            cmsWriteTag(result, cmsSigMediaWhitePointTag, cmsD50_XYZ()) != 0
                && cmsWriteTag(result, cmsSigAToB0Tag, UnsafeRawPointer(pipeline)) != 0)
        return bytes(of: result)
    }

    /// Closes the profile.
    private static func bytes(of profile: cmsHPROFILE) -> [UInt8] {
        defer { cmsCloseProfile(profile) }
        var length: cmsUInt32Number = 0
        precondition(cmsSaveProfileToMem(profile, nil, &length) != 0)
        var bytes = [UInt8](repeating: 0, count: Int(length))
        precondition(cmsSaveProfileToMem(profile, &bytes, &length) != 0)
        return bytes
    }
}

/// A conversion to 8-bit sRGB by littlecms: relative colorimetric, with black point compensation.
package struct ColourConversion: ~Copyable {
    private let transform: cmsHTRANSFORM
    /// The full value in littlecms: inks are in percent.
    private let full: Double
    private let channels: Int

    /// Nil if `profile` is invalid, or not for 1, 3 or 4 channels of grey, RGB or CMYK.
    package init?(from profile: [UInt8]) {
        guard let source = cmsOpenProfileFromMem(profile, cmsUInt32Number(profile.count)) else { return nil }
        let target = cmsCreate_sRGBProfile()
        defer {
            cmsCloseProfile(source)
            cmsCloseProfile(target)
        }
        let model: (type: Int32, channels: Int32)
        switch cmsGetColorSpace(source) {
        case cmsSigGrayData: model = (PT_GRAY, 1)
        case cmsSigRgbData: model = (PT_RGB, 3)
        case cmsSigCmykData: model = (PT_CMYK, 4)
        default: return nil
        }
        // Swift cannot use the macros TYPE_…: FLOAT_SH (22), COLORSPACE_SH (16), CHANNELS_SH (3), BYTES_SH (0).
        let input = cmsUInt32Number(1 << 22 | model.type << 16 | model.channels << 3)
        let output = cmsUInt32Number(PT_RGB << 16 | 3 << 3 | 1)
        let flags = cmsUInt32Number(
            cmsFLAGS_BLACKPOINTCOMPENSATION | cmsFLAGS_NOOPTIMIZE | cmsFLAGS_NOCACHE)
        guard
            let transform = cmsCreateTransform(
                source, input, target, output, cmsUInt32Number(INTENT_RELATIVE_COLORIMETRIC), flags)
        else { return nil }
        self.transform = transform
        full = model.type == PT_CMYK ? 100 : 1
        channels = Int(model.channels)
    }

    deinit { cmsDeleteTransform(transform) }

    /// - Parameter colours: channels from 0 to 1.
    package func srgb(_ colours: [[Double]]) -> [[Double]] {
        precondition(colours.allSatisfy { $0.count == channels })
        let input = colours.flatMap { $0.map { $0 * full } }
        var output = [UInt8](repeating: 0, count: colours.count * 3)
        cmsDoTransform(transform, input, &output, cmsUInt32Number(colours.count))
        return stride(from: 0, to: output.count, by: 3).map { output[$0..<$0 + 3].map(Double.init) }
    }
}
