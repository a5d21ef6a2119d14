package dev.sluice.lab.gpu.check;

import dev.sluice.engine.gpu.GpuDevice;
import dev.sluice.engine.gpu.OffloadPreference;
import dev.sluice.engine.gpu.driver.GpuDriver;
import dev.sluice.engine.gpu.launch.OffloadMode;
import dev.sluice.engine.lookup.AlgorithmChoice;
import dev.sluice.engine.testing.Form;
import dev.sluice.engine.testing.RandomRules.Shape;
import dev.sluice.engine.testing.RuleStory;
import dev.sluice.engine.testing.SameVerdicts;
import dev.sluice.engine.testing.Subject;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The engine's own tests on a device: subjects, each held against the oracle over random stories of
 * rules, changes and headers. A story that fails is shrunk and kept, and its file replays it
 * without a device, too.
 *
 * @param name of the check
 */
record SubjectCheck(String name, List<Subject> subjects, List<RuleStory> stories) implements Check {
    /** Every kernel, and versions in flight by each hand-over. */
    static List<Check> all(GpuDriver driver, GpuDevice device) {
        List<Check> checks = new ArrayList<>();
        List<RuleStory> one =
                List.of(
                        RuleStory.random(
                                DeviceSubjects.SEED,
                                Shape.ACCESS_LIST,
                                300,
                                0,
                                DeviceSubjects.HEADERS));
        checks.add(
                new SubjectCheck(
                        "faults", StressSubjects.faults(driver, device.context().number()), one));
        checks.add(new SubjectCheck("spread", List.of(StressSubjects.spread(driver)), one));
        for (String mode : List.of("asynchronous,copy", "persistent,mapped", "mapped,gather=4")) {
            OffloadMode how = OffloadPreference.parse(mode).orElse(OffloadMode.PLAIN);
            Subject swaps = StressSubjects.swaps(device, how);
            checks.add(new SubjectCheck("swaps under load", List.of(swaps), one));
        }
        List<RuleStory> changing = DeviceSubjects.changing();
        for (String handOver : List.of("asynchronous,copy", "mapped", "persistent,mapped")) {
            List<Subject> engines = new ArrayList<>();
            for (AlgorithmChoice choice : Form.choices()) {
                engines.add(
                        DeviceSubjects.engine(
                                device.context().number(), Form.plain(choice), handOver));
            }
            checks.add(new SubjectCheck("versions by " + handOver, engines, changing));
        }
        List<RuleStory> fixed = DeviceSubjects.fixed();
        for (AlgorithmChoice choice : Form.choices()) {
            List<Subject> kernels = new ArrayList<>();
            Form.all(choice).forEach(f -> kernels.addAll(DeviceSubjects.kernels(device, f)));
            if (!kernels.isEmpty()) {
                checks.add(new SubjectCheck("kernels of " + choice.label(), kernels, fixed));
            }
        }
        return checks;
    }

    @Override
    public String run(Findings findings) {
        int served = 0;
        StringBuilder failures = new StringBuilder();
        for (Subject subject : subjects) {
            for (RuleStory story : stories) {
                long verdicts = (long) story.headers().size() * (story.updates().size() + 2);
                try {
                    Optional<String> refusal = SameVerdicts.assertSameVerdicts(story, subject);
                    if (refusal.isPresent()) {
                        findings.leaveOut(
                                story.name(), subject.label(), Findings.oneLine(refusal.get()));
                        continue;
                    }
                    findings.add(verdicts, 0);
                    served++;
                } catch (AssertionError e) {
                    findings.add(verdicts, 1);
                    failures.append("\n  ").append(e.getMessage());
                    break; // the subject's other stories would be shrunk, too
                }
            }
        }
        return "%s: %d subjects over %d stories, %d pairs served, %,d verdicts, %,d wrong%s"
                .formatted(
                        name,
                        subjects.size(),
                        stories.size(),
                        served,
                        findings.compared(),
                        findings.wrong(),
                        failures);
    }
}
