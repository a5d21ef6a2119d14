package dev.sluice.job.capture;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The page of captures lists what the parser's tables have, and no more. */
class CapturesPageTest {
    private static List<String> rows(String begin) throws IOException {
        List<String> rows = new ArrayList<>();
        for (String line : Files.readAllLines(Path.of("../../docs/captures.md"))) {
            if (line.matches("\\| `?" + begin + ".*")) {
                rows.add(line);
            }
        }
        return rows;
    }

    @Test
    void linkTypes() throws IOException {
        List<String> read = new ArrayList<>();
        for (LinkType type : LinkType.values()) {
            read.add("| %d | %s |".formatted(type.number, type.title));
        }
        assertEquals(read, rows("\\d+ \\|"));
    }

    @Test
    void tags() throws IOException {
        List<String> seenThrough = new ArrayList<>();
        for (LinkTag tag : LinkTag.values()) {
            assertEquals(tag, LinkTag.of(tag.type));
            seenThrough.add("| 0x%04x | %s |".formatted(tag.type, tag.title));
        }
        assertEquals(seenThrough, rows("0x"));
    }

    private static String known(Tunnel.Known known) {
        List<String> ways = new ArrayList<>();
        for (int protocol : known.protocols()) {
            ways.add("IP protocol " + protocol);
        }
        for (int type : known.types()) {
            ways.add("EtherType 0x%04x".formatted(type));
        }
        for (int port : known.ports()) {
            ways.add("UDP port " + port + (known.eitherEnd() ? " at either end" : ""));
        }
        return String.join(", ", ways);
    }

    @Test
    void tunnels() throws IOException {
        List<String> opened = new ArrayList<>();
        for (Tunnel tunnel : Tunnel.values()) {
            opened.add(
                    "| `%s` | %s | %s |"
                            .formatted(tunnel.label(), tunnel.title, known(tunnel.known)));
        }
        assertEquals(opened, rows("[a-z0-9-]+` \\|"));
    }
}
