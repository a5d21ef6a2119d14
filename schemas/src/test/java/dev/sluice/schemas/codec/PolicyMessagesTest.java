package dev.sluice.schemas.codec;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Rules that are parts of a policy of chains, as messages. */
class PolicyMessagesTest {
    @Test
    void partsOfAPolicyComeOutAsTheyWentInAndOtherRulesStayAsTheyWere() throws Exception {
        RuleChange begin =
                RuleChange.begin("t", "h", 3, 2L, 5L, RuleChange.Kind.DELTA, "set", "drop");
        List<RuleChange.RuleRecord> rules = new ArrayList<>();
        for (RuleChange.StepKind kind : RuleChange.StepKind.values()) {
            if (kind != RuleChange.StepKind.UNKNOWN) {
                RuleChange.StepRecord step =
                        new RuleChange.StepRecord(
                                kind, rules.size() % 2 == 0, -7, 1L << 40, rules.size(), 9);
                rules.add(
                        new RuleChange.RuleRecord(
                                7, 1, 2, "a", new int[0], null, 5, new byte[] {1}, "t", step));
            }
        }
        rules.add(
                new RuleChange.RuleRecord(
                        8, 1, 2, "a", new int[0], null, 5, new byte[] {1}, "alone"));
        RuleChange read =
                RuleChange.decode(RuleChange.changes(begin, 0, rules, List.of()).encode());
        assertEquals(
                rules.stream().map(RuleChange.RuleRecord::step).toList(),
                read.puts().stream().map(RuleChange.RuleRecord::step).toList());

        List<RuleChange.RuleRecord> last = rules.subList(rules.size() - 1, rules.size());
        byte[] alone = RuleChange.changes(begin, 0, last, List.of()).encode();
        assertEquals(
                MessageSchemas.fingerprint(MessageSchemas.history("RuleChange").get(1)),
                MessageCodec.fingerprint(alone, 0));
        assertEquals(43, alone.length, "bytes of a rule that stands for itself");
        assertEquals("alone", RuleChange.decode(alone).puts().get(0).text());
    }
}
