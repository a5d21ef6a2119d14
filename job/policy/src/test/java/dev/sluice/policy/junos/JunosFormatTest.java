package dev.sluice.policy.junos;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.policy.OpenRules;
import dev.sluice.policy.PolicyFile;
import dev.sluice.policy.PolicyOptions;
import dev.sluice.policy.flatten.FlatPolicy;
import dev.sluice.policy.io.SluiceException;
import dev.sluice.policy.model.Assumptions;
import dev.sluice.policy.model.ConnectionState;
import dev.sluice.policy.testing.PolicyText;
import dev.sluice.policy.testing.UnderstoodRules;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.testing.TestData;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class JunosFormatTest {
    private static final Path SAMPLES =
            Path.of("src/test/resources/dev/sluice/policy/junos/public");

    @TempDir Path folder;

    @ParameterizedTest
    @CsvSource({"edge.conf, edge.understood", "branch.set, branch.understood"})
    void eachRuleIsUnderstoodAsTheGoldenFileSays(String name, String golden) throws IOException {
        String understood = UnderstoodRules.of(read(sample(name), null, null));
        assertEquals(Files.readString(sample(golden)), understood);
    }

    @Test
    void bothFormsMeanTheSame() {
        assertEquals(
                PolicyText.of(read(sample("edge.conf"), null, null).policies().get(0)),
                PolicyText.of(read(sample("edge.set"), null, null).policies().get(0)));
    }

    @ParameterizedTest
    @CsvSource({
        "ge-0/0/1.0, ge-0/0/0.0, 10.20.9.7, 8.8.8.8, 443, DENY, 19",
        "ge-0/0/1.0, ge-0/0/0.0, 10.20.8.7, 8.8.8.8, 443, PERMIT, 23",
        "ge-0/0/0.0, ge-0/0/2.0, 8.8.8.8, 192.0.2.81, 8443, PERMIT, 27", // the zone's own book
        "ge-0/0/0.0, ge-0/0/2.0, 8.8.8.8, 192.0.2.80, 8443, DENY, 38",
        "ge-0/0/1.0, ge-0/0/2.0, 10.20.1.5, 192.0.2.81, 22, PERMIT, 32", // of all zones
        "ge-0/0/0.0, ge-0/0/2.0, 10.20.1.5, 192.0.2.81, 22, DENY, 38",
        "ge-0/0/1.0, ge-9/0/0.0, 10.20.1.5, 8.8.8.8, 22, DENY, 0", // in no zone
    })
    void zonesDecide(
            String in, String out, String from, String to, int port, String outcome, int line) {
        FlatPolicy policy = read(sample("branch.set"), in, out).flat();
        FlatPolicy.Answer answer = Objects.requireNonNull(policy.judge(header(from, to, port)));
        assertEquals(outcome, answer.outcome().name());
        assertEquals(line, answer.rule().origin().line());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '~',
            value = {
                "from port htttp ~ 1:57: 'htttp': is no name that is known there; did you mean http?",
                "from port 80-70 ~ 1:57: '80-70': is a range whose end lies before its begin; swap them",
                "from prot tcp ~ 1:52: 'prot': is a match condition that cannot be read; did you mean port?",
                "from tcp-flags (syn ~ 1:62: '(syn': is no expression of TCP flags; write one of fin, syn, rst, push, ack, urgent, with !, &, | and parentheses",
                "from source-address 10.0.0.0/33 ~ 1:76: '33': is not a prefix length; write 0 to 32",
                "from source-address 2001:db8::/32 ~ 1:67: '2001:db8::/32': is no address of family inet; move it to a filter of the other family",
                "then acept ~ 1:52: 'acept': is an action that cannot be read; did you mean accept?",
                "then next-hop 1 ~ 1:52: 'next-hop': is an action that cannot be read; did you mean next-ip?",
                "thn accept ~ 1:47: 'thn': is no statement of a term; write from or then"
            })
    void defectsAreNamedWithTheirPlace(String words, String message) throws IOException {
        Path file = folder.resolve("f");
        Files.writeString(file, "set firewall family inet filter F1 term T100 " + " " + words);
        SluiceException refused = assertThrows(SluiceException.class, () -> read(file, null, null));
        assertEquals(file + ":" + message, refused.getMessage());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '!',
            value = {
                "firewall { family inet { filter F { term T { then accept; } } }"
                        + " ! :1:1: 'firewall': has no end: the text is cut off; dump the whole configuration",
                "firewall { family inet { filter F { term T { then accept } } } }"
                        + " ! :1:46: 'then': lacks ; at its end",
                "firewall { family inet { filter F { term T { then accept; } } } } }"
                        + " ! :1:67: '}': closes nothing; remove it",
                "firewall { family inet { filter F { term T { { then accept; } } } } }"
                        + " ! :1:46: '{': opens a block that has no name; write one before it",
            })
    void textsThatAreNoConfigurationAreRefused(String text, String message) throws IOException {
        Path file = Files.writeString(folder.resolve("f"), text);
        SluiceException refused = assertThrows(SluiceException.class, () -> read(file, null, null));
        assertEquals(file + message, refused.getMessage());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "set $ from protocol udp;set $ then reject;deactivate $ from protocol udp | DENY",
                "set $ from protocol udp;set $ then reject;delete $ from protocol udp | DENY",
                "set $ then reject;deactivate $ then reject | PERMIT",
                "set $ from protocol udp;set $ from protocol tcp;set $ then reject;deactivate $ from protocol udp | DENY",
                "set $ from tcp-flags 0x12;set $ from protocol tcp;set $ then reject | DENY",
                "set $ from tcp-flags !18;set $ from protocol tcp;set $ then accept | DENY",
                "set $ from tcp-flags 0x6;set $ from protocol tcp;set $ then accept | DENY",
                "set $ from tcp-flags 0x40;set $ from protocol tcp;set $ then accept | refused",
                "set $ then reject;rename $ to term U | refused",
                "firewall { family inet { filter F { term T { from { inactive: protocol udp@ } then { reject@ } } } } } | DENY",
            })
    void aPacketWithSynAndAckHasTheVerdictOfTheTerm(String text, String expected)
            throws IOException {
        String lines = text.replace(";", "\n").replace("@", ";");
        Path file = folder.resolve("f");
        Files.writeString(file, lines.replace("$", "firewall family inet filter F term T"));
        if (expected.equals("refused")) {
            SluiceException refused =
                    assertThrows(SluiceException.class, () -> read(file, null, null));
            String place = text.contains("rename") ? ":2:1: 'rename': changes" : ":1:57: '0x40': ";
            assertTrue(refused.getMessage().contains(place), refused.getMessage());
            return;
        }
        FlatPolicy policy = read(file, null, null).flat();
        int[] header = header("10.0.0.2", "8.8.8.8", 80);
        Field.TCP_FLAGS.put(header, 0x12);
        assertEquals(expected, Objects.requireNonNull(policy.judge(header)).outcome().name());
    }

    @Test
    void groupsGiveTheirStatements() throws IOException {
        Path file =
                Files.writeString(
                        folder.resolve("f"),
                        """
                        groups { all { firewall { family inet { filter G { term T { then reject; } } } }
                          interfaces { <ge-*> { unit <*> { family inet { filter { input G; } } } } } } }
                        apply-groups all;
                        interfaces { ge-0/0/0 { unit 0 { family inet { address 10.0.0.1/8; } } }
                          xe-0/0/0 { unit 0 { family inet { address 11.0.0.1/8; } } } }
                        """);
        FlatPolicy filtered = read(file, "ge-0/0/0.0", null).flat();
        FlatPolicy free = read(file, "xe-0/0/0.0", null).flat();
        int[] header = header("10.0.0.2", "8.8.8.8", 80);
        assertEquals("DENY", Objects.requireNonNull(filtered.judge(header)).outcome().name());
        assertEquals("PERMIT", Objects.requireNonNull(free.judge(header)).outcome().name());
    }

    /** The table of docs/policies/junos.md: files, lines, and lines that are not understood. */
    @Test
    void publicSamplesAreReadAsThePageSays() throws IOException {
        TreeMap<String, int[]> rows = new TreeMap<>();
        try (Stream<Path> files = Files.walk(SAMPLES)) {
            for (Path file : files.filter(Files::isRegularFile).sorted().toList()) {
                if (file.endsWith("README.md")) {
                    continue;
                }
                int[] row = rows.computeIfAbsent(row(file), none -> new int[3]);
                row[0]++;
                row[1] += (int) Files.readAllLines(file).stream().filter(l -> !l.isBlank()).count();
                row[2] += unread(file);
            }
        }
        String page = Files.readString(TestData.inCheckout("docs/policies/junos.md"));
        rows.forEach(
                (name, row) -> {
                    double share = 100.0 * (row[1] - row[2]) / row[1];
                    String line =
                            String.format(
                                    Locale.ROOT,
                                    "| %s | %d | %,d | %.1f %% |",
                                    name,
                                    row[0],
                                    row[1],
                                    share);
                    assertTrue(page.contains(line), () -> "write into the page: " + line);
                    assertTrue(share >= 95, line);
                });
    }

    private static String row(Path file) {
        String name = file.getFileName().toString();
        if (file.getParent().endsWith("batfish")) {
            return name.startsWith("firewall-") ? "Batfish, firewall-*" : "Batfish, applications";
        }
        return "aerleon, *." + name.substring(name.lastIndexOf('.') + 1);
    }

    private static long unread(Path file) {
        PolicyOptions skipping = new PolicyOptions(null, new Assumptions(null, null, null), true);
        try (var open = OpenRules.open(file, new JunosFormat())) {
            return PolicyFile.list(open, skipping).warnings().stream()
                    .filter(warning -> warning.contains("skipped: "))
                    .map(warning -> List.of(warning.split(":")).get(1))
                    .distinct()
                    .count();
        }
    }

    private static PolicyFile read(Path file, String in, String out) {
        return PolicyFile.read(
                file,
                new PolicyOptions(null, new Assumptions(ConnectionState.NEW, in, out), false));
    }

    private static int[] header(String from, String to, int port) {
        int[] header = new FilterPacket(0, 0, 6, 40000, port, 2, 0, 64, 0, 60).header();
        Field.IPV4_SRC.put(header, address(from));
        Field.IPV4_DST.put(header, address(to));
        return header;
    }

    private static int address(String dotted) {
        int value = 0;
        for (String part : dotted.split("\\.")) {
            value = value << 8 | Integer.parseInt(part);
        }
        return value;
    }

    private static Path sample(String name) {
        return TestData.inCheckout("test-data/junos/" + name);
    }
}
