package dev.sluice.job.lab.grid;

import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.job.UsageException;
import dev.sluice.job.cli.EngineArguments;
import dev.sluice.job.cli.JsonOption;
import dev.sluice.job.cli.Times;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code sluice bench grid}: the engine on a grid of generated policies. */
@Command(
        name = "grid",
        description = {
            "Measures the engine on one core over generated policies: shapes, rules, kinds and depth.",
            "Every answer is compared; exit status 1 if one is wrong.",
            ""
        })
public final class GridCommand implements Callable<Integer> {
    @Spec private CommandSpec spec;

    @Mixin private CellOptions options = new CellOptions();

    @Option(
            names = "--batch",
            paramLabel = "N",
            defaultValue = "4096",
            description = "Headers a batch (default ${DEFAULT-VALUE}).")
    private int batch;

    @Option(
            names = "--rounds",
            paramLabel = "N",
            defaultValue = "7",
            description = "Measured rounds, at least 5 (default ${DEFAULT-VALUE}).")
    private int rounds;

    @Option(
            names = "--witness",
            paramLabel = "NAME",
            defaultValue = "merged-tuple",
            description =
                    "Algorithm whose answers are compared on all headers, beside linear search on some; none: linear search alone (default ${DEFAULT-VALUE}).")
    private String witness = "merged-tuple";

    @Option(
            names = "--rte-acl",
            paramLabel = "PROGRAM",
            description =
                    "Measure rte_acl beside it, by a program that is called with RULES TRACE ANSWERS NAME and prints a line for each form: form,name,rules,headers,median,minimum,maximum,build s,MB,,,wrong.")
    private @Nullable Path rteAcl;

    @Option(
            names = "--rte-acl-seconds",
            paramLabel = "DURATION",
            defaultValue = "10m",
            converter = Times.Seconds.class,
            description =
                    "Time after which that program is ended (default ${DEFAULT-VALUE}; a bare number is in s).")
    private int rteAclSeconds;

    @Mixin private EngineArguments engine = new EngineArguments();

    @Mixin private JsonOption json = new JsonOption();

    @Override
    public Integer call() throws InterruptedException {
        UsageException.requireRange("--rounds", rounds, 5, 1000);
        UsageException.requireRange("--batch", batch, 1, 1 << 24);
        UsageException.requireAtLeast("--rte-acl-seconds", rteAclSeconds, 1);
        List<Cell> cells = options.cells();
        CellBench bench =
                new CellBench(
                        engine.toOptions(),
                        witness.equals("none") ? null : Algorithm.of(witness),
                        options.headers(),
                        batch,
                        rounds,
                        options.seed(),
                        rteAcl == null ? null : new RteAcl(rteAcl, rteAclSeconds));
        GridRun run =
                new GridRun(
                        cell -> found(bench.measure(cell)),
                        options.out(),
                        spec.commandLine().getOut(),
                        json.isGiven());
        return run.over(cells, 1, spec.commandLine().getErr()) == 0 ? 0 : 1;
    }

    private static GridRun.Found found(CellBench.Result result) {
        return new GridRun.Found(GridFile.of(result), line(result), result.wrongInAll());
    }

    private static String line(CellBench.Result result) {
        StringBuilder line =
                new StringBuilder(
                        "%s: %s %.2f M/s, build %.2f s, %d bytes a rule, %,d wrong"
                                .formatted(
                                        result.cell(),
                                        result.engine().algorithm().label(),
                                        result.engine().mpps(),
                                        result.engine().buildSeconds(),
                                        result.engine().imageBytes() / result.ruleCount(),
                                        result.wrong()));
        RteAcl.Result rival = result.rteAcl();
        if (rival != null && rival.failure() != null) {
            line.append("; rte_acl: ").append(rival.failure());
        } else if (rival != null) {
            line.append(
                    "; %s %.2f M/s, ratio %.2f, build %.2f s, %,d wrong"
                            .formatted(
                                    rival.form(),
                                    rival.mpps(),
                                    result.engine().mpps() / rival.mpps(),
                                    rival.buildSeconds(),
                                    rival.wrong()));
        }
        return line.toString();
    }
}
