package dev.sluice.lab.gpu.check;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.engine.gpu.GpuDevice;
import dev.sluice.engine.gpu.OffloadPreference;
import dev.sluice.engine.gpu.driver.GpuDriver;
import dev.sluice.engine.gpu.driver.JCudaGpuDriver;
import dev.sluice.engine.gpu.launch.OffloadMode;
import dev.sluice.job.cli.JsonOption;
import dev.sluice.lab.generate.RuleShape;
import dev.sluice.lab.sets.DeviceOption;
import dev.sluice.lab.sets.TestFolder;
import dev.sluice.lab.sets.TestSet;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code gpu check}. */
@Command(
        name = "check",
        description = {
            "Compares the verdicts of every kernel, transfer and batch size with the right ones.",
            "The rule sets are those of a folder or of files. Without them the engine's own tests run on the device, over random stories of rules and changes, "
                    + "and faults, versions that come and go under load, and several devices are checked. Ends with 1 if a verdict is wrong.",
            "The end of the output lists what was not checked, with the reason.",
            ""
        })
public final class GpuCheckCommand implements Callable<Integer> {
    @Spec private CommandSpec spec;

    @Mixin private DeviceOption device = new DeviceOption();

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

    @Mixin private JsonOption json = new JsonOption();

    @Override
    public Integer call() throws Exception {
        PrintWriter out = spec.commandLine().getOut();
        GpuDriver driver = JCudaGpuDriver.get();
        Findings all = new Findings();
        ObjectNode object = JsonOption.object();
        ArrayNode told = object.putArray("checks");
        try (GpuDevice on = Check.device(driver, device.number())) {
            for (Check check : checks(driver, on)) {
                Findings findings = new Findings();
                String line = check.run(findings);
                (json.isGiven() ? spec.commandLine().getErr() : out).println(line);
                told.add(object(line, findings));
                all.add(findings);
            }
        }
        if (json.isGiven()) {
            JsonOption.print(out, sum(object, all));
        } else {
            out.println(summary(all));
        }
        return all.wrong() == 0 ? 0 : 1;
    }

    /** The sums, and at the end all that was not checked, with its reason. */
    static String summary(Findings all) {
        List<Findings.Unchecked> unchecked = all.unchecked();
        StringBuilder text =
                new StringBuilder(
                        "%,d verdicts compared, %,d wrong".formatted(all.compared(), all.wrong()));
        text.append(unchecked.isEmpty() ? "; nothing was left out" : "; not checked:");
        unchecked.stream().distinct().forEach(each -> text.append("\n  ").append(each));
        return text.toString();
    }

    /** A check, for a program. */
    static ObjectNode object(String line, Findings findings) {
        return JsonOption.object()
                .put("check", line)
                .put("compared", findings.compared())
                .put("wrong", findings.wrong());
    }

    /** Adds the sums, and all that was not checked, for a program. */
    static ObjectNode sum(ObjectNode to, Findings all) {
        to.put("compared", all.compared()).put("wrong", all.wrong());
        ArrayNode unchecked = to.putArray("not_checked");
        for (Findings.Unchecked each : new LinkedHashSet<>(all.unchecked())) {
            unchecked
                    .addObject()
                    .put("where", each.where())
                    .put("what", each.what())
                    .put("reason", each.reason());
        }
        return to;
    }

    private List<Check> checks(GpuDriver driver, GpuDevice on) {
        Path rulesFile = rules;
        Path traceFile = trace;
        if (rulesFile != null || traceFile != null) {
            if (rulesFile == null || traceFile == null) {
                throw new ParameterException(spec.commandLine(), "--rules and --trace go together");
            }
            return List.of(new KernelCheck(on, () -> TestSet.read(rulesFile, traceFile, expect)));
        }
        if (folder != null) {
            TestFolder sets = TestFolder.of(folder);
            List<Check> checks = new ArrayList<>();
            for (Path each : sets.traces()) {
                checks.add(new KernelCheck(on, () -> sets.read(each)));
            }
            return checks;
        }
        return onGeneratedRules(driver, on);
    }

    private List<Check> onGeneratedRules(GpuDriver driver, GpuDevice on) {
        TestSet policy = TestSet.generate(RuleShape.ACL, 3000, 50_000, 77);
        List<Check> checks = new ArrayList<>();
        checks.add(
                KernelCheck.withSlowBuilds(
                        on,
                        () ->
                                TestSet.generate(RuleShape.HOSTILE, 131_072, 4_000, 5)
                                        .withName("ties")));
        checks.add(new FaultCheck(driver, device.number(), policy));
        checks.add(new SpreadCheck(driver, policy));
        for (String mode : List.of("asynchronous,copy", "persistent,mapped", "mapped,gather=4")) {
            checks.add(
                    new SwapCheck(
                            on, policy, OffloadPreference.parse(mode).orElse(OffloadMode.PLAIN)));
        }
        checks.addAll(SubjectCheck.all(on));
        return checks;
    }
}
