import ChildProcess
import Glibc

extension GazetteerBuilder {
    /// An input's polygons as GeoJSON in WGS 84: the file itself, or the output of GDAL's ogr2ogr.
    ///
    /// The child writes to an unnamed temporary file, so that nothing is left behind whatever dies.
    func polygons(_ input: GazetteerInput, _ file: MappedFile) throws(GazetteerError) -> MappedFile {
        let ending = input.path.split(separator: "/").last?.split(separator: ".").last?.lowercased()
        guard ending != "geojson", ending != "json" else { return file }
        guard let ogr2ogr else {
            throw GazetteerError(
                .missingTool, file: input.path,
                message: "needs GDAL: apt install gdal-bin, or convert the file to GeoJSON")
        }
        let output = try Self.temporaryFile(input.path)
        defer { close(output) }
        let errors = try Self.temporaryFile(input.path)
        defer { close(errors) }
        var command = ChildProgram(
            ogr2ogr,
            [
                "-f", "GeoJSON", "-t_srs", "EPSG:4326", "-dim", "XY", "-lco", "RFC7946=YES", "-lco",
                "COORDINATE_PRECISION=7", "/vsistdout/", Self.absolute(input.path),
            ] + (input.layer.map { [$0] } ?? []))
        // Shapefiles state their encoding, but Natural Earth's older ones do not say that it is UTF-8.
        command.environment["SHAPE_ENCODING"] = "UTF-8"
        let end = try Self.run(command, output, errors, input.path)
        guard end == .exited(0) else {
            let reason = Self.text(errors).split(whereSeparator: \.isNewline).last.map(String.init)
            throw GazetteerError(
                .malformedInput, file: input.path,
                message: "GDAL cannot read it: \(reason ?? "ogr2ogr \(end)")"
                    + (input.layer == nil ? "; if it has layers, name one: FILE#LAYER in sources.tsv" : "")
            )
        }
        return try MappedFile(descriptor: output, path: input.path, advice: MADV_SEQUENTIAL)
    }

    private static func absolute(_ path: String) -> String {
        guard !path.hasPrefix("/"), let folder = getcwd(nil, 0) else { return path }
        defer { free(folder) }
        return "\(String(cString: folder))/\(path)"
    }

    private static func run(_ command: ChildProgram, _ output: CInt, _ errors: CInt, _ path: String)
        throws(GazetteerError) -> ChildProgram.Ending
    {
        do {
            return try command.start(output: output, errors: errors).awaitEnd()
        } catch {
            throw GazetteerError(.io, file: path, message: "\(error)")
        }
    }

    private static func temporaryFile(_ path: String) throws(GazetteerError) -> CInt {
        let folder = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var template = Array("\(folder)/darkroom-polygons-XXXXXX".utf8CString)
        let descriptor = mkstemp(&template)
        guard descriptor >= 0 else {
            throw MappedFile.failure("make a temporary file in \(folder) for", path)
        }
        unlink(template)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        return descriptor
    }

    private static func text(_ descriptor: CInt) -> String {
        var bytes = [UInt8](repeating: 0, count: 4_096)
        let size = lseek(descriptor, 0, SEEK_END)
        let count = pread(descriptor, &bytes, bytes.count, max(0, size - off_t(bytes.count)))
        return String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self)
    }
}
