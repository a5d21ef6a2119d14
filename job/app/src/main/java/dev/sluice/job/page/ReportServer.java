package dev.sluice.job.page;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.sluice.policy.TextFiles;
import dev.sluice.policy.io.SluiceException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * HTTP server of the pages of a folder: an index at {@code /}, and each page by its name. It writes
 * nothing. Served are files of the folder itself whose names end in {@code .html}, which are no
 * links; a name is looked up in the folder's list, so that no path leads elsewhere.
 *
 * <p>On an address of this machine alone it refuses requests under other names, by which a foreign
 * web page could read the pages (DNS rebinding).
 */
public final class ReportServer implements AutoCloseable {
    private static final int THREADS = 4;
    private static final int NO_BODY = -1;
    private static final String ENDING = ".html";
    private static final String POLICY =
            "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; frame-ancestors 'none'";

    /** A host that is an address, or this machine; behind it may stand a port. */
    private static final Pattern OWN_HOST =
            Pattern.compile("(?i)(localhost|[\\d.]+|\\[[\\da-f:.]+])(:\\d+)?");

    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss 'UTC'", Locale.ROOT)
                    .withZone(ZoneOffset.UTC);

    private final Path folder;
    private final String host;
    private final HttpServer server;
    private final ExecutorService threads = Executors.newFixedThreadPool(THREADS);

    /** A page of the folder. */
    private record Entry(String name, Path file, Instant written, long bytes) {}

    /**
     * Starts a server.
     *
     * @param host its name in addresses
     * @throws SluiceException if the folder cannot be read, or the port cannot be listened on
     */
    public ReportServer(Path folder, String host, InetSocketAddress at) {
        this.folder = folder;
        this.host = host;
        if (!Files.isDirectory(folder)) {
            throw new SluiceException(
                    folder + ": is no folder; name one with pages that --report wrote");
        }
        try {
            entries();
        } catch (IOException e) {
            throw new SluiceException(TextFiles.describe("folder", folder, e), e);
        }
        try {
            server = HttpServer.create(at, 0);
        } catch (IOException e) {
            throw new SluiceException(
                    "cannot listen on %s port %d: %s; name another by --port or --listen"
                            .formatted(host, at.getPort(), e.getMessage()),
                    e);
        }
        server.createContext("/", this::answer);
        server.setExecutor(threads);
        server.start();
    }

    /** The address of the index. */
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
                text(exchange, 405, "reports are read alone: GET or HEAD", false);
            } else if (!isOwn(exchange.getRequestHeaders().getFirst("Host"))) {
                text(exchange, 403, "this name is not that of the server", head);
            } else {
                String path = exchange.getRequestURI().getPath();
                if (path.equals("/")) {
                    send(exchange, 200, "text/html", index(), head);
                } else if (path.equals("/favicon.ico")) {
                    exchange.sendResponseHeaders(204, NO_BODY);
                } else {
                    page(exchange, path.substring(1), head);
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

    private void page(HttpExchange exchange, String name, boolean head) throws IOException {
        for (Entry entry : entries()) {
            if (entry.name.equals(name)) {
                try (InputStream in = Files.newInputStream(entry.file, LinkOption.NOFOLLOW_LINKS)) {
                    exchange.getResponseHeaders().set("Content-Type", "text/html; charset=utf-8");
                    exchange.sendResponseHeaders(200, head ? NO_BODY : 0);
                    if (!head) {
                        try (OutputStream out = exchange.getResponseBody()) {
                            in.transferTo(out);
                        }
                    }
                    return;
                } catch (NoSuchFileException e) {
                    break; // it went since the folder was listed
                }
            }
        }
        text(exchange, 404, "no page of this name is in the folder; / lists them", head);
    }

    /** The pages of the folder, the newest first. */
    private List<Entry> entries() throws IOException {
        List<Entry> entries = new ArrayList<>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
            for (Path file : files) {
                String name = String.valueOf(file.getFileName());
                if (name.toLowerCase(Locale.ROOT).endsWith(ENDING) && !name.startsWith(".")) {
                    BasicFileAttributes of = attributes(file);
                    if (of != null && of.isRegularFile()) {
                        entries.add(
                                new Entry(
                                        name, file, of.lastModifiedTime().toInstant(), of.size()));
                    }
                }
            }
        }
        entries.sort(Comparator.comparing(Entry::written).reversed().thenComparing(Entry::name));
        return entries;
    }

    private static @Nullable BasicFileAttributes attributes(Path file) throws IOException {
        try {
            return Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
        } catch (NoSuchFileException e) {
            return null; // it went since the folder was listed
        }
    }

    private String index() throws IOException {
        StringBuilder rows = new StringBuilder();
        List<Entry> entries = entries();
        for (Entry entry : entries) {
            rows.append(
                    "<tr><td><a href=\"%s\">%s</a></td><td>%s</td><td>%,d</td></tr>%n"
                            .formatted(
                                    "./" + encoded(entry.name),
                                    escaped(entry.name),
                                    TIME.format(entry.written),
                                    entry.bytes));
        }
        return PageFile.resource("index.html")
                .replace("{{css}}", PageFile.resource("page.css"))
                .replace("{{count}}", entries.isEmpty() ? "No report yet" : "Reports")
                .replace("{{rows}}", rows);
    }

    /** A name as a part of an address, all of it but letters, digits and dots as bytes. */
    private static String encoded(String name) {
        StringBuilder text = new StringBuilder();
        for (byte one : name.getBytes(StandardCharsets.UTF_8)) {
            boolean plain =
                    one >= 'a' && one <= 'z'
                            || one >= 'A' && one <= 'Z'
                            || one >= '0' && one <= '9'
                            || one == '.'
                            || one == '-';
            text.append(plain ? "" + (char) one : "%%%02X".formatted(one & 0xff));
        }
        return text.toString();
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;")
                .replace("'", "&#39;");
    }

    private static void text(HttpExchange exchange, int status, String words, boolean head)
            throws IOException {
        send(exchange, status, "text/plain", words + "\n", head);
    }

    private static void send(
            HttpExchange exchange, int status, String type, String words, boolean head)
            throws IOException {
        byte[] bytes = words.getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", type + "; charset=utf-8");
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
