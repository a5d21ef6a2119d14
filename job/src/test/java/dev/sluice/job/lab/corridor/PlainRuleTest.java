package dev.sluice.job.lab.corridor;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.sluice.engine.rules.Rule;
import dev.sluice.job.importers.HeaderTrace;
import dev.sluice.job.importers.RuleFile;
import dev.sluice.schemas.codec.PacketMessages;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PlainRuleTest {
    @TempDir private Path folder;

    /** The job without Sluice does the work that it is compared for: it finds the same rules. */
    @Test
    void comparesAsTheRulesThemselvesDo() throws IOException {
        Path rules = folder.resolve("rules");
        Files.writeString(
                rules,
                """
                @10.0.0.0/8 192.168.1.0/24 0 : 65535 80 : 80 0x06/0xff
                @10.1.0.0/16 0.0.0.0/0 1024 : 65535 0 : 65535 0x11/0xff
                @0.0.0.0/0 0.0.0.0/0 0 : 65535 53 : 54 0x00/0x00
                """);
        Path trace = folder.resolve("trace");
        StringBuilder lines = new StringBuilder();
        for (long source : List.of(0x0a000001L, 0x0a010001L, 0x0b000001L)) {
            for (int port : List.of(53, 54, 55, 80)) {
                for (int protocol : List.of(6, 17)) {
                    lines.append(
                            "%d\t%d\t%d\t%d\t%d%n"
                                    .formatted(source, 0xc0a80105L, 1024, port, protocol));
                }
            }
        }
        Files.writeString(trace, lines);
        List<Rule> read = RuleFile.read(rules, null).rules();
        List<byte[]> plain = PlainRule.first(read, 100);
        HeaderTrace headers = HeaderTrace.read(trace);
        assertEquals(24, headers.size());
        int matched = 0;
        for (int i = 0; i < headers.size(); i++) {
            PlainPacket packet =
                    PlainPacket.of(
                            PacketMessages.encodeHeader("t", 0, 1, 5, 64, headers.header(i)));
            for (int rule = 0; rule < read.size(); rule++) {
                boolean matches = read.get(rule).match().matches(headers.header(i));
                matched += matches ? 1 : 0;
                assertEquals(matches, PlainRule.matches(PlainRule.of(plain.get(rule)), packet));
            }
        }
        assertEquals(true, matched > 10 && matched < 72, matched + " of 72 match");
    }
}
