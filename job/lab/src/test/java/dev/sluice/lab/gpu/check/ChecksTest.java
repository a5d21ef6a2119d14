package dev.sluice.lab.gpu.check;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.gpu.FakeDriver;
import dev.sluice.engine.gpu.GpuDevice;
import dev.sluice.engine.gpu.launch.OffloadMode;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.testing.ChangingRules;
import dev.sluice.engine.testing.Form;
import dev.sluice.engine.testing.RandomRules.Shape;
import dev.sluice.engine.testing.RuleStory;
import dev.sluice.engine.testing.SameVerdicts;
import dev.sluice.engine.testing.Subject;
import dev.sluice.lab.generate.RuleShape;
import dev.sluice.lab.sets.TestSet;
import dev.sluice.schemas.testing.TestSeed;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Checks pass on a device that answers right, and count every answer that is not expected. */
class ChecksTest {
    private static final TestSet SET = TestSet.generate(RuleShape.ACL, 40, 5000, TestSeed.of(3));

    /** The same rules and headers, with one wrong expectation. */
    private static TestSet withOneWrong() {
        int[] expected = SET.expected().clone();
        expected[0] = SET.rules().size();
        return new TestSet("wrong", SET.rules(), SET.trace(), () -> expected);
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

    private static Check kernels(GpuDevice device, Supplier<TestSet> set) {
        return new KernelCheck(device, set, Algorithm.all(), false);
    }

    @Test
    void everyKernelIsComparedOnARuleSet() throws InterruptedException {
        assertEquals(0, run(device -> kernels(device, () -> SET)).wrong());
        Findings wrong = run(device -> kernels(device, ChecksTest::withOneWrong));
        assertTrue(wrong.wrong() > 100, wrong.wrong() + " wrong: not every kernel was compared");
    }

    @Test
    void algorithmsThatAreLeftOutOfALargeSetAreListedWithTheReason() throws InterruptedException {
        TestSet large = TestSet.generate(RuleShape.HOSTILE, 12_100, 5, TestSeed.of(3));
        List<Algorithm> slow = List.of(Algorithm.of("bitvector"), Algorithm.of("hash-tree"));
        Findings quick = new Findings();
        Findings all = new Findings();
        try (GpuDevice device = Check.device(new FakeDriver(1), 0)) {
            new KernelCheck(device, () -> large, slow, false).run(quick);
            new KernelCheck(device, () -> large, slow, true).run(all);
        }
        String reason =
                "%,d rules are more than the 12,000 up to which its build ends within seconds"
                        .formatted(large.rules().size());
        assertEquals(0, quick.compared());
        assertEquals(
                List.of(
                        new Findings.Unchecked(large.name(), "bitvector", reason),
                        new Findings.Unchecked(large.name(), "hash-tree", reason)),
                quick.unchecked());

        assertEquals(0, all.wrong());
        assertTrue(all.compared() > 0, "hash-tree was not compared");
        Findings.Unchecked refusal = all.unchecked().get(0);
        assertEquals("bitvector", refusal.what());
        assertTrue(refusal.reason().contains("only prefixes are ranges"), refusal::reason);
        assertTrue(
                all.unchecked().stream().noneMatch(each -> each.what().equals("hash-tree")),
                () -> all.unchecked().toString());
    }

    @Test
    void algorithmsThatRefuseASetAreListedWithWhatTheySay() throws InterruptedException {
        Findings findings = run(device -> kernels(device, () -> SET));
        List<Findings.Unchecked> routes =
                findings.unchecked().stream().filter(each -> each.what().equals("routes")).toList();
        assertEquals(1, routes.size(), () -> findings.unchecked().toString());
        assertEquals(SET.name(), routes.get(0).where());
        assertTrue(routes.get(0).reason().contains("routes"), routes.get(0)::reason);
    }

    @Test
    @Timeout(60)
    void subjectsOfDevicesUnderStressAnswerRight() throws InterruptedException {
        FakeDriver driver = new FakeDriver(3);
        RuleStory story = RuleStory.random(TestSeed.of(3), Shape.ACCESS_LIST, 30, 0, 100);
        List<Subject> subjects = new ArrayList<>(StressSubjects.faults(driver, 0));
        subjects.add(StressSubjects.spread(driver));
        Findings findings = new Findings();
        try (GpuDevice device = Check.device(driver, 0)) {
            subjects.add(StressSubjects.swaps(device, OffloadMode.PLAIN));
            String line = new SubjectCheck("stress", subjects, List.of(story)).run(findings);
            assertEquals(0, findings.wrong(), line);
            assertEquals(5 * 2 * 100, findings.compared(), line);
        }
    }

    @Test
    @Timeout(60)
    void theEnginesSubjectsAreAskedOnTheDevice() throws InterruptedException {
        RuleStory fixed = RuleStory.random(TestSeed.of(3), Shape.ACCESS_LIST, 30, 0, 100);
        RuleStory changing =
                new ChangingRules(TestSeed.of(3), Shape.ACCESS_LIST, 30)
                        .replace(3, 3)
                        .replace(2, 4)
                        .story("changing", 50);
        FakeDriver driver = new FakeDriver(1);
        FakeDriver.install(driver);
        Findings findings = new Findings();
        try (GpuDevice device = Check.device(driver, 0)) {
            Form tuple = Form.plain("merged-tuple");
            new SubjectCheck("kernels", DeviceSubjects.kernels(device, tuple), List.of(fixed))
                    .run(findings);
            assertTrue(findings.compared() >= 2 * 100, findings.compared() + " verdicts");
            List<Subject> subjects =
                    List.of(
                            DeviceSubjects.engine(0, tuple, "mapped"),
                            DeviceSubjects.engine(0, Form.plain("routes"), "mapped"));
            findings = new Findings();
            String line = new SubjectCheck("changes", subjects, List.of(changing)).run(findings);
            assertEquals(0, findings.wrong(), line);
            assertEquals(4 * 50, findings.compared());
            assertEquals(1, findings.unchecked().size());
            assertEquals("changing", findings.unchecked().get(0).where());
        } finally {
            FakeDriver.uninstall();
        }
    }

    @Test
    void aSubjectThatAnswersWrongIsCountedAndItsStoryKept(@TempDir Path folder) {
        RuleStory story = RuleStory.random(TestSeed.of(3), Shape.ACCESS_LIST, 5, 0, 20);
        Subject wrong =
                Subject.ofItsOwnRules("always-the-first", headers -> new int[headers.size()]);
        Findings findings = new Findings();
        String usual = System.getProperty(SameVerdicts.FOLDER_PROPERTY);
        System.setProperty(SameVerdicts.FOLDER_PROPERTY, folder.toString());
        try {
            String line = new SubjectCheck("wrong", List.of(wrong), List.of(story)).run(findings);
            assertEquals(1, findings.wrong());
            assertTrue(line.contains("./sluice test --story " + folder), line);
        } finally {
            if (usual == null) {
                System.clearProperty(SameVerdicts.FOLDER_PROPERTY);
            } else {
                System.setProperty(SameVerdicts.FOLDER_PROPERTY, usual);
            }
        }
    }
}
