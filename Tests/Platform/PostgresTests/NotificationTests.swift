import Postgres
import TestKit
import Testing

@Suite(.timeLimit(.minutes(15))) struct NotificationTests {
    @Test func aNotificationWakesTheListener() async throws {
        try await withConnection { listener, database in
            let channel = "Odd \"name\""
            try await listener.listen(channel)
            let sender = try await PostgresConnection.connect(PostgresConfiguration(url: database.url))
            let task = Task { try await listener.nextNotification(timeout: .seconds(600)) }
            try await sender.query("select pg_notify(\(channel), \("first"))")
            let first = try #require(try await task.value)
            #expect(first.channel == channel)
            #expect(first.payload == "first")
            let process = await sender.backendProcessID
            #expect(first.processID == process)
            await sender.close()
        }
    }

    @Test func notificationsAreKeptInOrder() async throws {
        try await withConnection { listener, _ in
            try await listener.listen("work")
            try await listener.execute("notify work, '1'; notify work, '2'; notify work, '3'")
            for payload in ["1", "2", "3"] {
                let next = try await listener.nextNotification(timeout: .seconds(600))
                #expect(next?.payload == payload)
            }
            let none = try await listener.nextNotification(timeout: .milliseconds(20))
            #expect(none == nil)
        }
    }

    @Test func otherCallsRunWhileOneWaits() async throws {
        try await withConnection { listener, _ in
            try await listener.listen("work")
            let task = Task { try await listener.nextNotification(timeout: .seconds(600)) }
            for number in 1...20 {
                let row = try await listener.query("select \(number)::int as n")[0]
                #expect(try row.decode("n", as: Int.self) == number)
            }
            try await listener.query("notify work")
            let notification = try await task.value
            #expect(notification?.payload == "")
        }
    }

    @Test func waitingEndsAtCancellationAndAtClose() async throws {
        try await withConnection { listener, _ in
            try await listener.listen("work")
            let cancelled = Task { try await listener.nextNotification(timeout: .seconds(600)) }
            // Only the thread that waits for the notification can answer it.
            try await listener.query("select 1")
            cancelled.cancel()
            await #expect(throws: CancellationError.self) { try await cancelled.value }

            let closed = Task { try await listener.nextNotification(timeout: .seconds(600)) }
            try await listener.query("select 1")
            await listener.close()
            let error = try await postgresError { _ = try await closed.value }
            #expect(error.code == .connectionClosed)
        }
    }

    @Test func waitingEndsWhenTheServerEndsTheConnection() async throws {
        try await withConnection { listener, database in
            try await listener.listen("work")
            let process = await Int(listener.backendProcessID)
            let task = Task { try await listener.nextNotification(timeout: .seconds(600)) }
            let sender = try await PostgresConnection.connect(PostgresConfiguration(url: database.url))
            try await sender.query("select pg_terminate_backend(\(process))")
            let error = try await postgresError { _ = try await task.value }
            #expect(error.code == .connectionLost)
            await sender.close()
        }
    }
}
