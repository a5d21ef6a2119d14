package dev.sluice.job.lab.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.job.JsonPage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Points of sweeps in the forms that are written. */
class SweepReportTest {
    @TempDir Path folder;

    @Test
    void whatAnInterruptionLeavesIsSaidOfOneAndOfMore() {
        Path in = Path.of("w");
        assertEquals(
                "1 point of the sweeps measured before is kept in w/sweep.csv; the others are left",
                BenchCommand.kept(1, in));
        assertEquals(
                "2 points of the sweeps measured before are kept in w/sweep.csv; the others are left",
                BenchCommand.kept(2, in));
    }

    @Test
    void thePageTellsThePointsAndTheRefusals() throws IOException {
        SweepReport.Point measured =
                new SweepReport.Point("rules", "tuple", 1024, 12.5, 0.25, 4096);
        SweepReport.Point refused = new SweepReport.Point("masks", "bloom", 16, null, 0, 0);
        JsonPage.assertTells("bench --sweep", measured.json() + "\n" + refused.json());
        assertEquals("rules 1024 tuple: 12.50 M headers/s", measured.line());
        assertEquals("masks 16 bloom: refused", refused.line());
    }

    @Test
    void everySweepHasAPlotAndARefusalIsALineWithoutARate() throws IOException {
        SweepReport report = new SweepReport();
        report.add(new SweepReport.Point("rules", "tuple", 1024, 12.5, 0.25, 4096));
        report.add(new SweepReport.Point("rules", "tuple", 4096, 10.0, 1.0, 16_384));
        report.add(new SweepReport.Point("masks", "bloom", 16, null, 0, 0));
        report.write(folder);
        assertEquals(
                List.of(
                        "sweep,algorithm,x,mpps,build_s,bytes",
                        "rules,tuple,1024,12.5000,0.2500,4096",
                        "rules,tuple,4096,10.0000,1.0000,16384",
                        "masks,bloom,16,,0.0000,0"),
                Files.readAllLines(folder.resolve("sweep.csv")));
        String html = Files.readString(folder.resolve("sweep.html"));
        assertTrue(html.indexOf("<h2>rules</h2>") < html.indexOf("<h2>masks</h2>"), html);
        assertEquals(2, html.split("<circle", -1).length - 1, html);
        assertTrue(html.contains("<title>tuple 4096: 10.00</title>"), html);
    }
}
