package dev.sluice.lab.grid;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.job.UsageException;
import dev.sluice.job.cli.CommandContribution;
import dev.sluice.job.cli.EngineArguments;
import dev.sluice.job.cli.JsonOption;
import dev.sluice.job.cli.Range;
import dev.sluice.job.cli.SluiceCommand;
import dev.sluice.job.replay.Progress;
import dev.sluice.lab.backend.RoundOptions;
import dev.sluice.lab.generate.PolicyCounts;
import dev.sluice.lab.generate.RuleGenerator;
import dev.sluice.lab.generate.RuleShape;
import dev.sluice.lab.kit.Results;
import dev.sluice.lab.sets.RecordFile;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code sluice bench grid}: the engine on a grid of generated policies. */
@Command(
        name = "grid",
        description = {
            "Measures the engine on one core over generated policies: shapes, rules, kinds and depth.",
            "Every answer is compared; exit status 1 if one is wrong.",
            ""
        })
public final class GridCommand extends SluiceCommand implements CommandContribution {
    private static final Duration RTE_ACL_LONGEST = Duration.ofMinutes(10);

    @Option(
            names = "--shapes",
            paramLabel = "NAME",
            split = ",",
            description =
                    "Some of zones, groups, fewsources, blocklist, acl, fw, ipc, separated by commas (default: all). From blocklist on they have one size, 100000 rules.")
    private List<RuleShape> shapes = Cell.SHAPES;

    @Option(
            names = "--rules",
            paramLabel = "N",
            split = ",",
            description = "Numbers of rules (default: 1000,10000,100000,1000000).")
    @Range(from = 1, to = RuleGenerator.MOST_RULES)
    private List<Integer> rules = Cell.RULES;

    @Option(
            names = "--kinds",
            paramLabel = "N",
            split = ",",
            description =
                    "zones, groups, fewsources: numbers of kinds, each where there are three times as many rules (default: 30,300,3000,10000).")
    @Range(from = 1)
    private List<Integer> kinds = Cell.KINDS;

    @Option(
            names = "--depths",
            paramLabel = "N",
            split = ",",
            description = "zones, groups, fewsources: depths of nesting (default: 2,8,24).")
    @Range(from = 1, to = PolicyCounts.DEEPEST)
    private List<Integer> depths = Cell.DEPTHS;

    @Option(
            names = "--headers",
            paramLabel = "N",
            defaultValue = "200000",
            description = "Headers of each trace, half within a rule (default ${DEFAULT-VALUE}).")
    @Range(from = 1)
    private int headers;

    @Option(
            names = "--out",
            paramLabel = "FILE",
            description =
                    "JSON file of the cells, written after each; cells of other runs stay there.")
    private @Nullable Path out;

    @Mixin private RoundOptions rounds = new RoundOptions();

    @Option(
            names = "--rte-acl",
            paramLabel = "PROGRAM",
            description =
                    "Measure rte_acl beside it, by a program that is called with RULES TRACE ANSWERS NAME and prints a line for each form: form,name,rules,headers,median,minimum,maximum,build s,MB,,,wrong.")
    private @Nullable Path rteAcl;

    @Mixin private EngineArguments engine = new EngineArguments();

    @Mixin private JsonOption json = new JsonOption();

    @Override
    public String parent() {
        return "bench";
    }

    @Override
    public Integer call() throws IOException {
        List<Cell> cells = cells();
        RecordFile file = out == null ? null : new RecordFile(out, List.of("cell"), "cells");
        CellBench bench =
                new CellBench(
                        engine.toOptions(),
                        headers,
                        rounds.batch(),
                        rounds.rounds(),
                        rteAcl == null ? null : new RteAcl(rteAcl, RTE_ACL_LONGEST));
        long wrong = 0;
        try (Progress progress = new Progress(err(), "grid", "cells")) {
            for (int i = 0; i < cells.size(); i++) {
                ObjectNode cell = bench.measure(cells.get(i));
                wrong += cell.path("wrong").asLong() + cell.path("rteAclWrong").asLong();
                if (file != null) {
                    file.put(cell);
                }
                Results.tell(out(), json, cell);
                progress.at(i + 1L, cells.size(), true);
            }
        }
        return wrong == 0 ? 0 : 1;
    }

    /**
     * The cells.
     *
     * @throws UsageException if there are none, or one that cannot be
     */
    private List<Cell> cells() {
        for (RuleShape shape : shapes) {
            if (!Cell.SHAPES.contains(shape)) {
                throw new UsageException(
                        "--shapes %s is not in the grid; leave it out".formatted(shape.label()));
            }
        }
        List<Cell> cells = Cell.all(shapes, rules, kinds, depths);
        if (cells.isEmpty()) {
            throw new UsageException(
                    "--rules and --kinds leave no cell: there must be three rules for each kind; the shapes from blocklist on have 100000 rules");
        }
        // Numbers that no policy can have are refused before the first is measured.
        cells.forEach(cell -> cell.generator(CellBench.SEED));
        return cells;
    }
}
