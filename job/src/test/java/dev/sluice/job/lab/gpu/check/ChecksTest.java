package dev.sluice.job.lab.gpu.check;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.gpu.FakeDriver;
import dev.sluice.engine.gpu.GpuDevice;
import dev.sluice.engine.gpu.launch.OffloadMode;
import dev.sluice.job.lab.generate.RuleShape;
import dev.sluice.job.lab.sets.TestSet;
import dev.sluice.schemas.testing.TestSeed;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** Checks pass on a device that answers right, and count every answer that is not expected. */
class ChecksTest {
    private static final TestSet SET = TestSet.generate(RuleShape.ACL, 40, 5000, TestSeed.of(3));

    /** The same rules and headers, with one wrong expectation. */
    private static TestSet withOneWrong() {
        int[] expected = SET.expected().clone();
        expected[0] = SET.rules().size();
        return new TestSet("wrong", SET.rules(), SET.trace(), expected);
    }

    private static Findings run(Function<GpuDevice, Check> check) throws InterruptedException {
        Findings findings = new Findings();
        try (GpuDevice device = Check.device(new FakeDriver(1), 0)) {
            String line = check.apply(device).run(findings);
            assertTrue(line.contains("%,d wrong".formatted(findings.wrong())), line);
        }
        assertTrue(findings.compared() > 0, "nothing was compared");
        return findings;
    }

    @Test
    void everyKernelIsComparedOnARuleSet() throws InterruptedException {
        assertEquals(0, run(device -> new KernelCheck(device, () -> SET)).wrong());
        Findings wrong = run(device -> new KernelCheck(device, ChecksTest::withOneWrong));
        assertTrue(wrong.wrong() > 100, wrong.wrong() + " wrong: not every kernel was compared");
    }

    @Test
    void aDeviceComesBackAfterFaultsAndEveryAnswerIsRight() throws InterruptedException {
        FakeDriver driver = new FakeDriver(1);
        assertEquals(0, run(device -> new FaultCheck(driver, 0, SET)).wrong());
    }

    @Test
    void theDeviceMayLookIntoAnotherImageThanTheCpu() throws InterruptedException {
        FakeDriver driver = new FakeDriver(1);
        assertEquals(0, run(device -> new TwoImagesCheck(driver, 0, SET)).wrong());
        Findings wrong = run(device -> new TwoImagesCheck(driver, 0, withOneWrong()));
        assertTrue(wrong.wrong() > 20, wrong.wrong() + " wrong: not every pair was compared");
        assertEquals(0, driver.held());
    }

    @Test
    void versionsAndImagesComeAndGo() throws InterruptedException {
        assertEquals(0, run(device -> new SwapCheck(device, SET, OffloadMode.PLAIN)).wrong());
        assertEquals(0, run(device -> new ImageCheck(device, SET)).wrong());
        Findings wrong = run(device -> new SwapCheck(device, withOneWrong(), OffloadMode.PLAIN));
        assertTrue(wrong.wrong() > 0, "no answer under load was compared");
    }

    @Test
    void instancesAreSpreadOverAllDevices() throws InterruptedException {
        FakeDriver driver = new FakeDriver(3);
        Findings findings = run(device -> new SpreadCheck(driver, SET));
        assertEquals(0, findings.wrong());
        assertEquals(6 * 20 * SET.trace().size(), findings.compared());
    }
}
