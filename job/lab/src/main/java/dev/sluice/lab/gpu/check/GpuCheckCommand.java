package dev.sluice.lab.gpu.check;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.engine.gpu.GpuDevice;
import dev.sluice.engine.gpu.driver.GpuDriver;
import dev.sluice.engine.gpu.driver.JCudaGpuDriver;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.job.cli.JsonOption;
import dev.sluice.job.cli.SluiceCommand;
import dev.sluice.lab.generate.RuleShape;
import dev.sluice.lab.kit.Results;
import dev.sluice.lab.sets.DeviceOption;
import dev.sluice.lab.sets.SetOptions;
import dev.sluice.lab.sets.TestSet;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.function.Supplier;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

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
public final class GpuCheckCommand extends SluiceCommand {
    @Mixin private DeviceOption device = new DeviceOption();

    @Mixin private SetOptions sets = new SetOptions();

    @Mixin private JsonOption json = new JsonOption();

    @Override
    public Integer call() throws Exception {
        GpuDriver driver = JCudaGpuDriver.get();
        Findings all = new Findings();
        ObjectNode record = JsonOption.object();
        ArrayNode told = record.putArray("checks");
        try (GpuDevice on = Check.device(driver, device.number())) {
            for (Check check : checks(driver, on)) {
                Findings findings = new Findings();
                String line = check.run(findings);
                (json.isGiven() ? err() : out()).println(line);
                told.add(object(line, findings));
                all.add(findings);
            }
        }
        Results.print(out(), json, sum(record, all));
        return all.wrong() == 0 ? 0 : 1;
    }

    /** Returns the record of a check. */
    static ObjectNode object(String line, Findings findings) {
        return JsonOption.object()
                .put("check", line)
                .put("compared", findings.compared())
                .put("wrong", findings.wrong());
    }

    /** Adds the sums, and all that was not checked. */
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
        List<Check> checks = new ArrayList<>();
        for (Supplier<TestSet> set : sets.read()) {
            checks.add(new KernelCheck(on, set, Algorithm.all(), false));
        }
        if (checks.isEmpty()) {
            Supplier<TestSet> ties =
                    () -> TestSet.generate(RuleShape.HOSTILE, 131_072, 4_000, 5).withName("ties");
            checks.add(new KernelCheck(on, ties, Algorithm.all(), true));
            checks.addAll(SubjectCheck.all(driver, on));
        }
        return checks;
    }
}
