package dev.sluice.lab.gpu.measure;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.job.cli.JsonOption;
import dev.sluice.job.cli.Range;
import dev.sluice.job.cli.SluiceCommand;
import dev.sluice.lab.generate.GeneratorOptions;
import dev.sluice.lab.generate.RuleShape;
import dev.sluice.lab.kit.Results;
import dev.sluice.lab.sets.DeviceOption;
import dev.sluice.lab.sets.RecordFile;
import dev.sluice.lab.sets.SetOptions;
import dev.sluice.lab.sets.TestSet;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** {@code gpu bench}. */
@Command(
        name = "bench",
        description = {
            "Measures look-ups on a GPU, each beside a kernel that only moves the same bytes, and compares every verdict with the CPU's.",
            "The rule sets are those of a folder, of files, or generated. Ends with 1 if a verdict is wrong.",
            ""
        })
public final class GpuBenchCommand extends SluiceCommand {
    /** Headers of a generated trace. */
    private static final int HEADERS = 200_000;

    @Mixin private DeviceOption device = new DeviceOption();

    @Mixin private SetOptions sets = new SetOptions();

    @Option(
            names = "--shape",
            paramLabel = "NAME",
            description =
                    "Generate rules instead, as 'rules generate' does: acl, fw, ipc, ipv6, openflow, routes, routes6 or hostile.")
    private @Nullable RuleShape shape;

    @Mixin private GeneratorOptions generator = new GeneratorOptions(10_000);

    @Option(
            names = "--misses",
            paramLabel = "R",
            defaultValue = "0.1",
            description =
                    "Share of generated headers that are near misses or random; the others match (default ${DEFAULT-VALUE}).")
    @Range(to = 1)
    private double misses;

    @Mixin private GpuBench bench = new GpuBench();

    @Option(
            names = "--out",
            paramLabel = "FILE",
            description =
                    "JSON file of the measurements, written after each; those of other runs stay there.")
    private @Nullable Path out;

    @Mixin private JsonOption json = new JsonOption();

    @Override
    public Integer call() {
        RecordFile file =
                out == null
                        ? null
                        : new RecordFile(
                                out,
                                List.of("name", "algorithm", "kernel", "way", "headersALaunch"),
                                "measurements");
        Consumer<ObjectNode> tell =
                point -> {
                    if (file != null) {
                        file.put(point);
                    }
                    Results.tell(out(), json, point);
                };
        boolean right = true;
        for (Supplier<TestSet> set : sets()) {
            right &= bench.measure(set.get(), device.number(), tell, err());
        }
        return right ? 0 : 1;
    }

    private List<Supplier<TestSet>> sets() {
        RuleShape made = shape;
        List<Supplier<TestSet>> all =
                made == null
                        ? sets.read()
                        : List.of(
                                () ->
                                        TestSet.generate(
                                                generator.generator(made, 1), HEADERS, misses));
        if (all.isEmpty()) {
            throw new ParameterException(
                    spec().commandLine(), "name --rules and --trace, --folder or --shape");
        }
        return all;
    }
}
