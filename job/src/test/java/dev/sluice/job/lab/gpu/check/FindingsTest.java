package dev.sluice.job.lab.gpu.check;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.rules.Match;
import dev.sluice.engine.rules.Rule;
import dev.sluice.job.JsonPage;
import dev.sluice.job.cli.JsonOption;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The comparison that all checks of a GPU count with sees every difference. */
class FindingsTest {
    private static VerdictBatch verdicts(int... positions) {
        VerdictBatch verdicts = new VerdictBatch(positions.length);
        System.arraycopy(positions, 0, verdicts.rules(), 0, positions.length);
        return verdicts;
    }

    @Test
    void positionsAreComparedFromWhereTheBatchBegins() {
        Findings findings = new Findings();
        findings.compare(verdicts(4, -1, 7), new int[] {9, 4, -1, 8}, 1, 3);
        assertEquals(3, findings.compared());
        assertEquals(1, findings.wrong());
        findings.compare(verdicts(4, -1, 7), new int[] {-1, 4}, 0, 2);
        assertEquals(5, findings.compared());
        assertEquals(3, findings.wrong());
    }

    @Test
    void rulesThatChangeInPlaceAreComparedByTheirIds() {
        Match all = new Match.Builder().build();
        List<Rule> rules = List.of(new Rule(50, 2, all, "a", 1), new Rule(60, 1, all, "b", 2));
        VerdictBatch found = verdicts(0, 0, -1, 0, -1);
        long[] ids = {50, 60, 0, 50, 0};
        System.arraycopy(ids, 0, found.ids(), 0, ids.length);
        Findings findings = new Findings();
        // Right; right; right miss; a rule where none matches; a miss where one does.
        findings.compareIds(found, verdicts(0, 1, -1, -1, 1), rules, 5);
        assertEquals(5, findings.compared());
        assertEquals(2, findings.wrong());
        findings.compareIds(found, verdicts(1), rules, 1);
        assertEquals(3, findings.wrong());
    }

    @Test
    void findingsOfSeveralChecksAddUp() {
        Findings one = new Findings();
        one.add(10, 2);
        one.leaveOut("acl_1", "rfc", "too many rules");
        Findings all = new Findings();
        all.add(one);
        all.add(one);
        assertEquals(20, all.compared());
        assertEquals(4, all.wrong());
        assertEquals(2, all.unchecked().size());
    }

    @Test
    void theEndOfTheOutputListsWhatIsNotCheckedOnceWithItsReason() {
        Findings all = new Findings();
        all.add(1500, 2);
        assertEquals(
                "1,500 verdicts compared, 2 wrong; nothing was left out",
                GpuCheckCommand.summary(all));
        all.leaveOut("acl_1", "rfc", "too many rules");
        all.leaveOut("acl_1", "routes", "no prefixes");
        all.leaveOut("acl_1", "rfc", "too many rules");
        assertEquals(
                """
                1,500 verdicts compared, 2 wrong; not checked:
                  acl_1: rfc: too many rules
                  acl_1: routes: no prefixes""",
                GpuCheckCommand.summary(all));
    }

    @Test
    void aProgramIsToldOfEachCheckTheSumsAndWhatIsNotChecked() throws IOException {
        Findings all = new Findings();
        all.add(1500, 2);
        all.leaveOut("acl_1", "rfc", "too many rules");
        all.leaveOut("acl_1", "rfc", "too many rules");
        ObjectNode told = JsonOption.object();
        told.putArray("checks").add(GpuCheckCommand.object("all kernels, 2 wrong", all));
        GpuCheckCommand.sum(told, all);
        JsonPage.assertTells("gpu check", told.toString());
        assertEquals(2, told.get("wrong").asLong());
        assertEquals(1, told.get("not_checked").size());
    }

    @Test
    void reasonsAreOneLine() {
        assertEquals(
                "beyond the budget raise it",
                Findings.reason(new IllegalStateException("beyond the budget\n  raise it")));
    }
}
