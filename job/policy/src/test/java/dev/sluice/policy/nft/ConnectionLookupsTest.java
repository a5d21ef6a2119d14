package dev.sluice.policy.nft;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.sluice.policy.PolicyFile;
import dev.sluice.policy.PolicyOptions;
import dev.sluice.policy.flatten.FlatPolicy.Answer;
import dev.sluice.policy.model.Assumptions;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.HeaderWord;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Directions and statuses of connections in maps and sets, with a tracker and without. */
final class ConnectionLookupsTest {
    private static final String MAP = "ct direction vmap { original : accept, reply : drop }";

    @TempDir Path folder;

    /** The last columns: a first packet, an answer, and a packet without a connection. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                MAP + " | PERMIT 3, DENY 3, PERMIT 2",
                "ct direction vmap { original : drop, * : drop } | DENY 3, DENY 3, PERMIT 2",
                "ct direction vmap @way | DENY 3, PERMIT 2, PERMIT 2",
                "ct direction { original, reply } drop | DENY 3, DENY 3, PERMIT 2",
                "ct direction != { original } drop | PERMIT 2, DENY 3, PERMIT 2",
                "ct direction != @one drop | DENY 3, PERMIT 2, PERMIT 2",
                "ct direction . tcp dport { reply . 22 } drop | PERMIT 2, DENY 3, PERMIT 2",
                "ct direction . tcp dport { reply . 23 } drop | PERMIT 2, PERMIT 2, PERMIT 2",
                "ct direction . ct mark { reply . 1 } drop | DEPENDS 3, DEPENDS 3, DEPENDS 3",
                "meta mark set ct direction map { reply : 1 } drop | PERMIT 2, DENY 3, PERMIT 2",
                "ct status vmap { seen-reply : drop } | PERMIT 2, DEPENDS 3, PERMIT 2",
                "ct status vmap { 2-3 : drop } | PERMIT 2, DEPENDS 3, PERMIT 2",
                "ct status vmap { 16-31 : drop } | DEPENDS 3, DEPENDS 3, PERMIT 2",
                "ct status { assured, expected } drop | PERMIT 2, PERMIT 2, PERMIT 2",
                "ct status != { seen-reply } drop | DENY 3, DEPENDS 3, PERMIT 2",
            })
    void trackerTellsThem(String rule, String answers) throws IOException {
        Assumptions tracked = Assumptions.NONE.ofTracked();
        String judged =
                String.join(
                        ", ",
                        judge(rule, tracked, packet(32 | 1, 0)),
                        judge(rule, tracked, packet(32 | 8 | 2, 1)),
                        judge(rule, tracked, packet(0, 0)));
        assertEquals(answers, judged);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {MAP, "ct direction { original } drop", "ct status vmap { 2 : drop }"})
    void nobodyTellsThemWithoutTracker(String rule) throws IOException {
        assertEquals("DEPENDS 3", judge(rule, Assumptions.NONE, packet(32 | 1, 0)));
    }

    private String judge(String rule, Assumptions assumed, int[] packet) throws IOException {
        String text =
                """
                table inet t { map way { type ct_dir : verdict; elements = { original : drop }; }
                set one { type ct_dir; elements = { reply }; }; chain c { type filter hook input priority 0;
                %s
                }; }
                """
                        .formatted(rule);
        Path file = Files.writeString(folder.resolve("ruleset"), text);
        PolicyFile read = PolicyFile.read(file, new PolicyOptions("input", assumed, false));
        Answer answer = Objects.requireNonNull(read.flat().judge(packet));
        return answer.outcome() + " " + answer.rule().origin().line();
    }

    private static int[] packet(int state, int answered) {
        int[] words = new int[HeaderWord.COUNT];
        Field.ETH_TYPE.put(words, 0x0800);
        Field.IP_VERSION.put(words, Field.VERSION_4);
        Field.IP_PROTO.put(words, 6);
        Field.PORTS_PRESENT.put(words, 1);
        Field.DST_PORT.put(words, 22);
        Field.CONNECTION_PRESENT.put(words, 1);
        Field.CONNECTION_STATE.put(words, state);
        Field.CONNECTION_ANSWERED.put(words, answered);
        Field.CONNECTION_CONFIRMED.put(words, 0);
        return words;
    }
}
