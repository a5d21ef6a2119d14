package dev.sluice.job.page;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.sluice.policy.io.SluiceException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * HTTP server of pages, which are read alone.
 *
 * <p>On an address of this machine alone it refuses requests under other names, by which a foreign
 * web page could read the pages (DNS rebinding).
 */
public final class PageServer implements AutoCloseable {
    private static final int THREADS = 4;
    private static final int NO_BODY = -1;
    private static final String POLICY =
            "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; connect-src 'self'; frame-ancestors 'none'";

    /** A host that is an address, or this machine; behind it may stand a port. */
    private static final Pattern OWN_HOST =
            Pattern.compile("(?i)(localhost|[\\d.]+|\\[[\\da-f:.]+])(:\\d+)?");

    private final Pages pages;
    private final String host;
    private final HttpServer server;
    private final ExecutorService threads = Executors.newFixedThreadPool(THREADS);

    /** Pages by their paths; asked by several threads. */
    public interface Pages {
        /** Returns the content of a path, without its slash at the start; null: there is none. */
        @Nullable Content at(String path) throws IOException;
    }

    /**
     * Content of a path.
     *
     * @param type media type, of text in UTF-8
     * @param bytes the content, which is closed when it is sent
     */
    public record Content(String type, InputStream bytes) {
        static Content html(InputStream bytes) {
            return new Content("text/html", bytes);
        }
    }

    /**
     * Starts a server.
     *
     * @param host its name in addresses
     * @throws SluiceException if the port cannot be listened on
     */
    public PageServer(Pages pages, String host, InetSocketAddress at) {
        this.pages = pages;
        this.host = host;
        try {
            server = HttpServer.create(at, 0);
        } catch (IOException e) {
            threads.shutdown();
            throw new SluiceException(
                    "cannot listen on %s port %d: %s; name another by --port or --listen"
                            .formatted(host, at.getPort(), e.getMessage()),
                    e);
        }
        server.createContext("/", this::answer);
        server.setExecutor(threads);
        server.start();
    }

    /** The address of the first page. */
    public String address() {
        String name = host.indexOf(':') >= 0 ? "[" + host + "]" : host;
        return "http://%s:%d/".formatted(name, server.getAddress().getPort());
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            Headers headers = exchange.getResponseHeaders();
            headers.set("Content-Security-Policy", POLICY);
            headers.set("X-Content-Type-Options", "nosniff");
            headers.set("Cache-Control", "no-cache");
            boolean head = exchange.getRequestMethod().equals("HEAD");
            if (!head && !exchange.getRequestMethod().equals("GET")) {
                headers.set("Allow", "GET, HEAD");
                text(exchange, 405, "pages are read alone: GET or HEAD", false);
            } else if (!isOwn(exchange.getRequestHeaders().getFirst("Host"))) {
                text(exchange, 403, "this name is not that of the server", head);
            } else {
                String path = exchange.getRequestURI().getPath();
                if (path.equals("/favicon.ico")) {
                    exchange.sendResponseHeaders(204, NO_BODY);
                } else {
                    send(exchange, pages.at(path.substring(1)), head);
                }
            }
        }
    }

    private boolean isOwn(@Nullable String named) {
        if (named == null || !server.getAddress().getAddress().isLoopbackAddress()) {
            return named != null;
        }
        return OWN_HOST.matcher(named).matches()
                || named.replaceFirst(":\\d+$", "").equalsIgnoreCase(host);
    }

    private static void send(HttpExchange exchange, @Nullable Content content, boolean head)
            throws IOException {
        if (content == null) {
            text(exchange, 404, "no page has this name; / is the first one", head);
            return;
        }
        try (InputStream bytes = content.bytes) {
            exchange.getResponseHeaders().set("Content-Type", content.type + "; charset=utf-8");
            exchange.sendResponseHeaders(200, head ? NO_BODY : 0);
            if (!head) {
                try (OutputStream out = exchange.getResponseBody()) {
                    bytes.transferTo(out);
                }
            }
        }
    }

    private static void text(HttpExchange exchange, int status, String words, boolean head)
            throws IOException {
        byte[] bytes = (words + "\n").getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", "text/plain; charset=utf-8");
        exchange.sendResponseHeaders(status, head ? NO_BODY : bytes.length);
        if (!head) {
            exchange.getResponseBody().write(bytes);
        }
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
