package dev.sluice.job.capture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.job.Sluice;
import dev.sluice.schemas.testing.SharedData;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Captures that users of other tools have reported, with the answers that are right. */
class ReportedCapturesTest {
    private static final String OUTER = "10.7.1.1>10.7.2.2 6 40001>443";
    private static final String INNER = "192.168.7.1>192.168.7.2 6 40001>443";

    private static Path report(String name) {
        return SharedData.folder("reports").resolve(name);
    }

    /** Addresses, protocol and ports of each packet; the status of one that is none. */
    private static List<String> headers(Sluice run) {
        return run.out()
                .lines()
                .skip(1)
                .map(line -> line.split("\t", -1))
                .map(
                        c ->
                                c[21].equals("ok")
                                        ? "%s>%s %s %s>%s"
                                                .formatted(c[13], c[14], c[15], c[18], c[19])
                                        : c[21])
                .toList();
    }

    private static List<String> headers(String name, Object... options) {
        Object[] arguments = new Object[options.length + 2];
        arguments[0] = "headers";
        arguments[1] = report(name);
        System.arraycopy(options, 0, arguments, 2, options.length);
        Sluice run = Sluice.run(arguments);
        assertEquals(0, run.status(), run.err());
        return headers(run);
    }

    @ParameterizedTest
    @CsvSource({
        "lt009-ppp.pcap, 3",
        "lt050-ppp-hdlc.pcap, 1",
        "lt105-dot11.pcap, 2",
        "lt107-frelay.pcap, 1",
        "lt127-radiotap.pcap, 2",
        "lt284-dsa.pcap, 1",
        "lt285-edsa.pcap, 1"
    })
    void linkTypesThatPublicCapturesHaveAreRead(String name, int packets) {
        assertEquals(Collections.nCopies(packets, OUTER), headers(name));
    }

    @Test
    void theFirewallsLogIsReadOfBothFamilies() {
        assertEquals(
                List.of(OUTER, "fd00::7:1>fd00::7:2 6 40001>443", "malformed:link-header-short"),
                headers("lt239-nflog.pcap"));
    }

    @Test
    void tagsAreLookedThroughAndASwitchSeesNone() {
        assertEquals(Collections.nCopies(4, INNER), headers("tags.pcap"));
        assertEquals(Collections.nCopies(4, INNER), headers("tags.pcap", "--headers", "inner"));
        assertEquals(Collections.nCopies(4, "not-ip"), headers("tags.pcap", "--tags", "switch"));
    }

    @Test
    void tunnelsAreOpenedWhereInnerHeadersCount() {
        assertEquals(Collections.nCopies(5, INNER), headers("tunnels.pcap", "--headers", "inner"));
        assertTrue(
                headers("tunnels.pcap").stream()
                        .allMatch(h -> h.startsWith("10.7.1.1>10.7.2.2 17")));
    }

    @Test
    void modifiedAndCompressedPcapsAreRead() {
        assertEquals(List.of(OUTER, "10.7.1.1>10.7.2.2 17 40002>53"), headers("mod-le.pcap"));
        assertEquals(headers("plain.pcap"), headers("plain.pcap.zst"));
        assertEquals(3, headers("plain.pcap.zst").size());
    }

    @Test
    void aSecondHeaderIsNamedWhereItStands() {
        Sluice run = Sluice.run("headers", report("two-cat.pcap"));
        assertEquals(1, run.status());
        assertEquals(1, headers(run).size());
        assertTrue(
                run.err()
                        .contains(
                                "second-capture at byte 102: a second pcap header stands here, as in files joined by cat"),
                run.err());
    }

    private static String winners(String rules, Object... more) throws IOException {
        Object[] arguments = {
            "classify", report("flows-packets.pcap"), "--rules", report(rules), "--in-port", "1"
        };
        Object[] all = new Object[arguments.length + more.length];
        System.arraycopy(arguments, 0, all, 0, arguments.length);
        System.arraycopy(more, 0, all, arguments.length, more.length);
        Sluice run = Sluice.run(all);
        assertEquals(0, run.status(), run.err());
        return run.out()
                .lines()
                .skip(1)
                .map(line -> line.split("\t", -1)[3])
                .collect(Collectors.joining(" "));
    }

    /** The lines that Open vSwitch 3.1's ofproto/trace names. */
    @Test
    void tagsOfTpid9100AreNoneAsInASwitch() throws IOException {
        String right = "5 5 5 5 5 5 5 2 5 2 2 3 3 5 5 5 5 5 5 5 5 5 5 5 5 5 5";
        assertEquals(right, winners("outer-tag.ovs"));
        assertEquals(right, winners("outer-tag.ovs", "--tags", "switch"));
    }

    @Test
    void withTagsAsASwitchStackedTagsAreJudgedAsInASwitch() throws IOException {
        String right = "5 5 5 5 5 5 2 5 5 7 7 7 7 7 6 7 5 5 5 5 7 5 5 7 9 5 5";
        assertEquals(right, winners("br-ex.ovs", "--tags", "switch"));
        // Else what stands behind the second of two tags counts, too.
        assertEquals("5 5 5 5 5 5 2 5 5 5 5 7 7 7 6 7 5 5 5 5 7 5 5 7 9 5 5", winners("br-ex.ovs"));
    }
}
