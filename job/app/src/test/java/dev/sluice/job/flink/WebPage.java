package dev.sluice.job.flink;

import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * A browser's requests to a REST interface, with headers that Java's own client does not let
 * through.
 *
 * @param host at which the REST interface listens
 */
public record WebPage(String host, int port) {
    /** Boundary of the parts of {@link #UPLOAD}. */
    private static final String BOUNDARY = "page";

    /** Body of a form with a jar, as a page sends it without asking first. */
    private static final String UPLOAD =
            "--%1$s\r\nContent-Disposition: form-data; name=\"jarfile\"; filename=\"evil.jar\"\r\n"
                            .formatted(BOUNDARY)
                    + "Content-Type: application/x-java-archive\r\n\r\nPK\r\n--%s--\r\n"
                            .formatted(BOUNDARY);

    /** A request without headers; a job's or jar's id is in the path. */
    public record Request(String method, String path, String type, String body) {
        /** One without a body. */
        public static Request of(String method, String path) {
            return new Request(method, path, "text/plain", "");
        }

        /** One that uploads a jar. */
        public static Request upload() {
            return new Request(
                    "POST", "/jars/upload", "multipart/form-data; boundary=" + BOUNDARY, UPLOAD);
        }

        @Override
        public String toString() {
            return method + " " + path;
        }
    }

    /**
     * Requests that show, change, begin or end something.
     *
     * @param job id of a job
     */
    public static List<Request> requests(String job) {
        String jar = "0f0f_evil.jar";
        return Stream.concat(
                        Stream.of(
                                        "/",
                                        "/index.html",
                                        "/config",
                                        "/overview",
                                        "/jars",
                                        "/jobs/overview",
                                        "/jobs/" + job,
                                        "/jobs/" + job + "/config",
                                        "/jobs/" + job + "/checkpoints",
                                        "/jobs/" + job + "/yarn-cancel",
                                        "/jobs/" + job + "/yarn-stop",
                                        "/jobmanager/config",
                                        "/jobmanager/logs",
                                        "/taskmanagers")
                                .map(path -> Request.of("GET", path)),
                        Stream.of(
                                Request.upload(),
                                Request.of("POST", "/jars/" + jar + "/run?entry-class=Evil"),
                                Request.of("POST", "/jars/" + jar + "/plan"),
                                Request.of("DELETE", "/jars/" + jar),
                                new Request(
                                        "POST",
                                        "/jobs",
                                        "multipart/form-data; boundary=" + BOUNDARY,
                                        UPLOAD),
                                Request.of("PATCH", "/jobs/" + job + "?mode=cancel"),
                                Request.of("POST", "/jobs/" + job + "/stop"),
                                Request.of("POST", "/jobs/" + job + "/savepoints"),
                                Request.of("PATCH", "/jobs/" + job + "/rescaling?parallelism=1"),
                                Request.of("PUT", "/jobs/" + job + "/resource-requirements"),
                                Request.of("POST", "/savepoint-disposal"),
                                Request.of("DELETE", "/cluster"),
                                Request.of("OPTIONS", "/jars/upload"),
                                Request.of("GET", "/there-is-none")))
                .toList();
    }

    /** Headers of each page that is not the cluster's own, and what else it does not know. */
    public List<List<String>> foreign() {
        String here = "Host: " + host + ":" + port;
        List<List<String>> pages = new ArrayList<>();
        for (String origin :
                List.of(
                        "null",
                        "https://evil.example",
                        "http://evil.example:" + port,
                        "http://localhost:1",
                        "http://localhost",
                        "http://localhost:" + port + ".evil.example")) {
            pages.add(List.of(here, "Origin: " + origin));
        }
        for (String name :
                List.of(
                        "evil.example",
                        "localhost.evil.example",
                        "127.0.0.1.evil.example",
                        "192.0.2.1",
                        "[2001:db8::1]",
                        "")) {
            String other = name + ":" + port;
            pages.add(List.of("Host: " + other));
            pages.add(List.of("Host: " + other, "Origin: http://" + other));
        }
        pages.add(List.of(here, "Sec-Fetch-Site: cross-site"));
        pages.add(List.of(here, "Sec-Fetch-Site: same-site"));
        pages.add(List.of(here, "Host: evil.example"));
        pages.add(List.of(here, "Origin: http://localhost:" + port, "Origin: null"));
        pages.add(List.of());
        return pages;
    }

    /** Headers of those that may ask: programs, and the cluster's own pages. */
    public List<List<String>> own() {
        List<List<String>> own = new ArrayList<>();
        for (String name : List.of("localhost", "LOCALHOST", "127.0.0.1", "[::1]")) {
            String here = name + ":" + port;
            own.add(List.of("Host: " + here));
            own.add(
                    List.of(
                            "Host: " + here,
                            "Origin: http://" + here,
                            "Sec-Fetch-Site: same-origin"));
        }
        own.add(List.of("Host: localhost:" + port, "Sec-Fetch-Site: none"));
        // Through a tunnel, whose end has another port.
        own.add(List.of("Host: localhost:9", "Origin: http://localhost:9"));
        return own;
    }

    /** Sends a request; returns all that is answered, head and body. */
    public String send(Request request, List<String> headers) throws IOException {
        String head =
                "%s %s HTTP/1.1\r\n%s\r\nContent-Type: %s\r\nContent-Length: %d\r\nConnection: close\r\n\r\n"
                        .formatted(
                                request.method(),
                                request.path(),
                                headers.isEmpty() ? "X: y" : String.join("\r\n", headers),
                                request.type(),
                                request.body().length());
        try (Socket socket = new Socket(host, port)) {
            socket.getOutputStream()
                    .write((head + request.body()).getBytes(StandardCharsets.US_ASCII));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    /** Status of an answer. */
    public static int status(String answer) {
        return Integer.parseInt(answer.split(" ", 3)[1]);
    }
}
