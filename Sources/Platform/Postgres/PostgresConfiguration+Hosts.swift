/// One of the hosts that an address names.
struct PostgresHost: Equatable, Sendable {
    let host: String
    let port: String?
}

extension PostgresConfiguration {
    /// How long a host may take if there is another one to try.
    static let patience = Duration.seconds(3)

    /// The hosts of an address like `host=a,b`, to be tried one after the other; empty if libpq may try them by itself.
    ///
    /// libpq tries the next host only after this one has refused. A machine without power refuses nothing, so without a
    /// limit for each host nobody would get past it.
    var hosts: [PostgresHost] {
        get throws(PostgresError) {
            let options = try parsed()
            let hosts = Self.parts(options["host"])
            let ports = Self.parts(options["port"])
            guard hosts.count > 1, options["hostaddr"] == nil, [0, 1, hosts.count].contains(ports.count),
                // Then libpq goes through all hosts twice.
                options["target_session_attrs"] != "prefer-standby"
            else { return [] }
            return hosts.enumerated().map { index, host in
                PostgresHost(host: host, port: ports.isEmpty ? nil : ports[ports.count == 1 ? 0 : index])
            }
        }
    }

    private static func parts(_ list: String?) -> [String] {
        list?.split(separator: ",", omittingEmptySubsequences: false).map(String.init) ?? []
    }
}
