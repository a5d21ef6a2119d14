package dev.sluice.job.lab.gpu;

import dev.sluice.engine.gpu.driver.JCudaGpuDriver;
import dev.sluice.job.lab.generate.RuleShape;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code gpu check}. */
@Command(
        name = "check",
        description = {
            "Compares the verdicts of every kernel, transfer and batch size with the right ones: on rule sets",
            "of a folder, of files, or generated; then faults, and updates under load. Ends with 1 if one",
            "is wrong.",
            ""
        })
final class GpuCheckCommand implements Callable<Integer> {
    @Spec private CommandSpec spec;

    @Option(names = "--gpu", defaultValue = "0", description = "Device (default 0).")
    private int device;

    @Option(names = "--rules", paramLabel = "FILE", description = "Rule file.")
    private @Nullable Path rules;

    @Option(names = "--trace", paramLabel = "FILE", description = "Header trace for it.")
    private @Nullable Path trace;

    @Option(
            names = "--expect",
            paramLabel = "FILE",
            description =
                    "Right answers: a 0-based rule index a line, -1 for a miss; else linear search gives them.")
    private @Nullable Path expect;

    @Option(
            names = "--folder",
            paramLabel = "FOLDER",
            description = "Folder of NAME.rules.gz, NAME*.trace.gz and NAME*.exp.gz.")
    private @Nullable Path folder;

    @Override
    public Integer call() throws Exception {
        PrintWriter out = spec.commandLine().getOut();
        try (GpuCheck check = new GpuCheck(JCudaGpuDriver.get(), device, out::println)) {
            if (rules != null || trace != null) {
                if (rules == null || trace == null) {
                    throw new ParameterException(
                            spec.commandLine(), "--rules and --trace go together");
                }
                TestSet set = TestSet.read(rules, trace, expect);
                check.rules(set.name(), set.rules(), set.trace(), set.expected());
            } else if (folder != null) {
                for (TestSet set : TestFolder.of(folder)) {
                    check.rules(set.name(), set.rules(), set.trace(), set.expected());
                }
            } else {
                generated(check);
            }
            out.printf(
                    "%,d verdicts compared, %,d wrong; %d images were refused by their algorithms%n",
                    check.compared(), check.wrong(), check.refused());
            return check.wrong() == 0 ? 0 : 1;
        }
    }

    private static void generated(GpuCheck check) throws InterruptedException {
        TestSet ties = TestSet.generate(RuleShape.HOSTILE, 131_072, 4_000, 5);
        check.rules("ties", ties.rules(), ties.trace(), ties.expected());
        TestSet policy = TestSet.generate(RuleShape.ACL, 3000, 50_000, 77);
        check.faults(policy.rules(), policy.trace(), policy.expected());
        check.spread(policy.rules(), policy.trace(), policy.expected());
        check.swaps(policy.rules(), policy.trace(), policy.expected());
        check.comings(policy.rules(), policy.trace());
        check.jobs();
        check.updates(policy.rules(), policy.trace());
        TestSet flows = TestSet.generate(RuleShape.OPENFLOW, 1500, 50_000, 78);
        check.updates(flows.rules(), flows.trace());
        for (RuleShape shape : RuleShape.values()) {
            for (int count : new int[] {1, 50, 1500}) {
                TestSet set = TestSet.generate(shape, count, 70_000, count);
                check.rules(set.name(), set.rules(), set.trace(), set.expected());
            }
        }
    }
}
