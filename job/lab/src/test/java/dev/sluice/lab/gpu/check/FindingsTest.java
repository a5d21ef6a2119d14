package dev.sluice.lab.gpu.check;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.job.JsonPage;
import dev.sluice.job.cli.JsonOption;
import java.io.IOException;
import org.junit.jupiter.api.Test;

/** The comparison that all checks of a GPU count with sees every difference. */
class FindingsTest {
    @Test
    void positionsAreComparedAsFarAsTheyWereFound() {
        Findings findings = new Findings();
        findings.compare(new int[] {4, -1, 7}, new int[] {4, -1, 8, 9});
        assertEquals(3, findings.compared());
        assertEquals(1, findings.wrong());
        findings.compare(new int[] {4, -1}, new int[] {-1, 4});
        assertEquals(5, findings.compared());
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
