package dev.sluice.job.lab.gpu.measure;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.engine.EngineOptions;
import dev.sluice.engine.gpu.GpuDevice;
import dev.sluice.engine.gpu.GpuPool;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.job.UsageException;
import dev.sluice.job.cli.JsonOption;
import dev.sluice.job.lab.grid.Cell;
import dev.sluice.job.lab.grid.CellOptions;
import dev.sluice.job.lab.grid.GridFile;
import dev.sluice.job.lab.grid.GridRun;
import dev.sluice.job.lab.sets.DeviceOption;
import dev.sluice.job.lab.sets.GeneratedSet;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code gpu grid}. */
@Command(
        name = "grid",
        description = {
            "Measures kernels over the policies of 'bench grid' on headers in the device's memory, and says what auto chooses there.",
            "Every verdict is compared; exit status 1 if one is wrong.",
            ""
        })
public final class GpuGridCommand implements Callable<Integer> {
    @Spec private CommandSpec spec;

    @Mixin private DeviceOption device = new DeviceOption();

    @Mixin private CellOptions cells = new CellOptions();

    @Option(
            names = "--algorithm",
            paramLabel = "NAME",
            split = ",",
            defaultValue = "pairs,merged-tuple,forest",
            description =
                    "Algorithms to measure beside what auto chooses, separated by commas (default ${DEFAULT-VALUE}).")
    private List<String> algorithms = new ArrayList<>();

    @Option(
            names = "--launch",
            paramLabel = "N",
            defaultValue = "4194304",
            description = "Headers a launch, a multiple of 32 (default ${DEFAULT-VALUE}).")
    private int launch;

    @Option(
            names = "--runs",
            paramLabel = "N",
            defaultValue = "15",
            description = "Runs (default ${DEFAULT-VALUE}).")
    private int runs;

    @Option(
            names = "--builders",
            paramLabel = "N",
            defaultValue = "1",
            description =
                    "Policies that are generated and compiled at once; kernels are timed one at a time (default ${DEFAULT-VALUE}).")
    private int builders;

    @Mixin private JsonOption json = new JsonOption();

    @Override
    public Integer call() throws InterruptedException {
        device.check();
        int headers = cells.headers();
        UsageException.requireRange("--runs", runs, 1, 1000);
        UsageException.requireRange("--builders", builders, 1, 64);
        if (launch < 32 || launch % 32 != 0) {
            throw new UsageException("--launch " + launch + " is not a multiple of 32");
        }
        List<Algorithm> asked = algorithms.stream().map(Algorithm::of).toList();
        List<Cell> all = cells.cells();
        // Held, so that engines do not open the device anew for each policy.
        GpuPool.Use held =
                GpuPool.shared().use(new GpuPool.Selection(false, List.of(device.number())), 0);
        try (GpuDevice on =
                new GpuDevice(GpuPool.shared().driver(), device.number(), 1, 65_536, 19)) {
            PolicyBench bench = new PolicyBench(on, EngineOptions.DEFAULTS, asked, launch, runs);
            GridRun run =
                    new GridRun(
                            cell -> measure(cell, headers, bench),
                            cells.out(),
                            spec.commandLine().getOut(),
                            json.isGiven());
            return run.over(all, builders, spec.commandLine().getErr()) == 0 ? 0 : 1;
        } finally {
            if (held != null) {
                held.close();
            }
        }
    }

    private GridRun.Found measure(Cell cell, int headers, PolicyBench bench) {
        GeneratedSet set =
                GeneratedSet.generate(cell.generator(cells.seed()), headers, 1, cells.seed());
        PolicyBench.Result result = bench.measure(set);
        return new GridRun.Found(
                record(cell, set.rules().size(), result), line(cell, result), result.wrong());
    }

    /** What the file holds of a cell. */
    static ObjectNode record(Cell cell, int ruleCount, PolicyBench.Result result) {
        ObjectNode record = GridFile.of(cell);
        record.put("ruleCount", ruleCount);
        record.put("algorithm", result.auto().onDevice().label());
        record.put("mpps", Math.round(result.rate(result.auto().onDevice()).mpps()));
        record.put("imageBytes", result.rate(result.auto().onDevice()).imageBytes());
        record.put("best", result.best().label());
        record.put("bestMpps", Math.round(result.rate(result.best()).mpps()));
        record.put("onCpu", result.auto().onCpu().label());
        record.put("chooseSeconds", Math.round(result.auto().seconds() * 1000) / 1000.0);
        record.put("explanation", result.auto().explanation());
        ObjectNode rates = record.putObject("rates");
        result.rates()
                .forEach(
                        (algorithm, rate) -> rates.put(algorithm.label(), Math.round(rate.mpps())));
        ObjectNode builds = record.putObject("buildSeconds");
        result.rates()
                .forEach(
                        (algorithm, rate) ->
                                builds.put(
                                        algorithm.label(),
                                        Math.round(rate.buildSeconds() * 1000) / 1000.0));
        result.refusals().forEach(record.putArray("refusals")::add);
        record.put("linearHeaders", result.answered());
        record.put("wrong", result.wrong());
        return record;
    }

    private static String line(Cell cell, PolicyBench.Result result) {
        StringBuilder rates = new StringBuilder();
        result.rates()
                .forEach(
                        (algorithm, rate) ->
                                rates.append(
                                        ", %s %.2f"
                                                .formatted(algorithm.label(), rate.mpps() / 1e3)));
        return "%s: auto %s %.2f G/s (CPU %s, %.1f s)%s, %,d wrong"
                .formatted(
                        cell,
                        result.auto().onDevice().label(),
                        result.rate(result.auto().onDevice()).mpps() / 1e3,
                        result.auto().onCpu().label(),
                        result.auto().seconds(),
                        rates,
                        result.wrong());
    }
}
