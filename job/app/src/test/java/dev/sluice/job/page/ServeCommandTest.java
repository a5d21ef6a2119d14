package dev.sluice.job.page;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.job.Sluice;
import dev.sluice.schemas.testing.TestData;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Reports of a folder over HTTP: those alone, and nothing is written. */
class ServeCommandTest {
    private static final Path HOST = TestData.inCheckout("test-data/iptables/host.save");

    @TempDir Path above;

    private Path folder;
    private PageServer server;

    @BeforeEach
    void serve() throws IOException {
        folder = Files.createDirectory(above.resolve("reports"));
        server =
                new PageServer(
                        new ReportFolder(folder),
                        "localhost",
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private HttpResponse<String> ask(String method, String path) throws Exception {
        HttpRequest request =
                HttpRequest.newBuilder(URI.create(server.address()).resolve(path))
                        .method(method, HttpRequest.BodyPublishers.noBody())
                        .build();
        return HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
    }

    /** The answer to bytes that no client would send. */
    private String raw(String request) throws IOException {
        URI at = URI.create(server.address());
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), at.getPort())) {
            socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
        }
    }

    @Test
    void aBrowserFindsEachPageInTheIndex() throws Exception {
        String name = "it's <b>&\"100%\".html";
        Sluice.ok("rules", "lint", HOST, "--report", folder.resolve(name));
        Sluice.ok("rules", "lint", HOST, "--report", folder.resolve("old.html"));
        Files.setLastModifiedTime(
                folder.resolve("old.html"), FileTime.fromMillis(1_700_000_000_000L));
        try (Browser browser = Browser.start(false)) {
            browser.script("location.href = arguments[0]", server.address());
            browser.await("td a");
            assertEquals(List.of(name, "old.html"), browser.texts("td a"));
            assertEquals(
                    "2023-11-14 22:13:20 UTC",
                    browser.texts("tr:last-child td:nth-child(2)").get(0));
            browser.all("td a").get(0).click();
            browser.settle();
            assertEquals("lint of " + HOST, browser.texts("h1").get(0));
            browser.tab("Rules");
            assertFalse(browser.rows().isEmpty());
            assertEquals(List.of(), browser.complaints());
        }
    }

    @Test
    void nothingElseIsServed() throws Exception {
        Files.writeString(above.resolve("secret.html"), "secret");
        Files.writeString(folder.resolve("notes.txt"), "secret");
        Files.writeString(folder.resolve(".hidden.html"), "secret");
        Files.createDirectory(folder.resolve("sub.html"));
        Files.writeString(folder.resolve("sub.html/secret.html"), "secret");
        Files.createSymbolicLink(folder.resolve("link.html"), above.resolve("secret.html"));
        Files.writeString(folder.resolve("day.html"), "a page");
        assertEquals("a page", ask("GET", "day.html").body());
        assertEquals(200, ask("HEAD", "day.html").statusCode());
        String index = ask("GET", "").body();
        assertTrue(index.contains("day.html"), index);
        for (String other : List.of("secret", "notes", ".hidden", "link", "sub")) {
            assertFalse(index.contains("\"./" + other), other);
        }
        for (String path :
                List.of(
                        "/../secret.html",
                        "/%2e%2e/secret.html",
                        "/..%2fsecret.html",
                        "/..%5csecret.html",
                        "/%2e%2e%2fsecret.html",
                        "/notes.txt",
                        "/.hidden.html",
                        "/sub.html",
                        "/sub.html/secret.html",
                        "/link.html",
                        "//day.html",
                        "/day.html/",
                        "/day.html%00",
                        "/reports/day.html",
                        above.resolve("secret.html").toString())) {
            String answer =
                    raw(
                            "GET "
                                    + path
                                    + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
            assertTrue(answer.startsWith("HTTP/1.1 404 "), path + ": " + answer);
            assertFalse(answer.contains("\r\n\r\nsecret"), answer);
        }
    }

    @Test
    void requestsThatWriteOrNameAnotherHostAreRefused() throws Exception {
        Path page = Files.writeString(folder.resolve("day.html"), "a page");
        for (String method : List.of("POST", "PUT", "DELETE", "OPTIONS")) {
            assertEquals(405, ask(method, "day.html").statusCode(), method);
        }
        assertEquals("a page", Files.readString(page));
        for (String host : List.of("evil.example", "evil.example:80", "localhost.evil.example")) {
            String answer =
                    raw(
                            "GET /day.html HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n"
                                    .formatted(host));
            assertTrue(answer.startsWith("HTTP/1.1 403 "), answer);
        }
        assertTrue(
                ask("GET", "")
                        .headers()
                        .firstValue("Content-Security-Policy")
                        .orElseThrow()
                        .startsWith("default-src 'none'"));
    }

    @Test
    void theCommandServesUntilItIsInterrupted() throws Exception {
        Files.writeString(folder.resolve("day.html"), "a page");
        try (Sluice.Running running =
                new Sluice.Running("serve", "--report", folder, "--port", "0")) {
            running.await(() -> running.out().contains("Stop it"));
            String address = running.out().replaceAll("(?s).* at (http://localhost:\\d+/).*", "$1");
            HttpResponse<String> page =
                    HttpClient.newHttpClient()
                            .send(
                                    HttpRequest.newBuilder(URI.create(address + "day.html"))
                                            .build(),
                                    HttpResponse.BodyHandlers.ofString());
            assertEquals("a page", page.body());
            int port = URI.create(address).getPort();
            Sluice second = Sluice.run("serve", "--report", folder, "--port", port);
            assertEquals(1, second.status());
            assertTrue(second.err().contains("localhost port " + port), second.err());
        }
        assertEquals(1, Sluice.run("serve", "--report", folder.resolve("none")).status());
        assertEquals(
                2, Sluice.run("serve", "--report", folder, "--listen", "no.such.invalid").status());
    }
}
