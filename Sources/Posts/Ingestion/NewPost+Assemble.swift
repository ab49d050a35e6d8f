import FoundationEssentials
import Gazetteer
import Imaging
import Posts

extension NewPost {
    /// Assembles the post from the results of the stages.
    init(
        upload: Int64, location: Location, published: PublishedLocation, policy: LocationPolicy,
        gazetteer: UInt64,
        time: PostTime?, photo: PhotoReport?, renditions: [PostRendition],
        rendering: RenderConfiguration
    ) {
        self.init(
            upload: upload, latitude: published.coordinate.latitude,
            longitude: published.coordinate.longitude,
            locationSource: location.source, place: published.place, time: time, width: photo?.width,
            height: photo?.height, format: photo?.format.rawValue, stripped: photo?.stripped ?? [],
            renditions: renditions)
        self.location = PostLocation(
            exactLatitude: location.coordinate.latitude, exactLongitude: location.coordinate.longitude,
            accuracyMetres: location.accuracyMetres,
            precision: location.precision,
            privacy: published.privacy, policy: policy.version,
            minimumPopulation: policy.minimumPopulation, locatedBy: Int64(bitPattern: gazetteer))
        typedPlace = location.typedPlace.map(Int64.init)
        timeZone = published.timeZone
        exifFields = photo?.exifFields
        placeholder = photo?.thumbHash
        perceptualHash = photo?.perceptualHash?.bits
        pdq = photo?.pdq.map(KnownHash.init)
        if let photo, rendering.keepsCamera {
            camera = PostCamera(make: photo.cameraMake, model: photo.cameraModel)
        }
        if rendering.keepsDirection, published.privacy == .exact, case .valid(let fix, _) = photo?.gps {
            (direction, altitudeMetres) = (fix.direction, fix.altitude)
        }
    }
}

extension KnownHash {
    init(_ hash: PDQHash) { self.init(hexadecimal: hash.hexadecimal, quality: hash.quality) }
}

extension PostTime {
    /// When the photo was taken. The uploader's time takes precedence over the camera's; the camera's
    /// clock reading is kept only if the instant is the camera's.
    static func find(uploader: Date?, camera: CaptureTime?) -> PostTime? {
        if let uploader { return PostTime(instant: uploader, local: nil, source: .uploader) }
        guard let camera else { return nil }
        return PostTime(
            instant: camera.instant, local: camera.local, source: .exif,
            offsetSource: camera.offsetSource.map {
                switch $0 {
                case .offsetTag: .offsetTag
                case .gpsTimeStamp: .gpsTimeStamp
                }
            })
    }
}
