package dev.sluice.job.lab.tables;

import dev.sluice.engine.rfc.RfcForm;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.job.UsageException;
import dev.sluice.job.cli.Choice;
import dev.sluice.job.cli.JsonOption;
import dev.sluice.job.cli.OutputPath;
import dev.sluice.job.cli.RuleOptions;
import dev.sluice.job.cli.Sizes;
import dev.sluice.job.cli.Times;
import dev.sluice.job.importers.RuleFile;
import dev.sluice.job.importers.TextFiles;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code sluice bench bitmap-rfc}: what compressing the tables of RFC saves and costs. */
@Command(
        name = "bitmap-rfc",
        description = {
            "Compiles random samples of a file's rules by RFC and by Bitmap-RFC, and looks the same headers up in both.",
            "They take turns, by CPU time. It says how large each table is, plain and as bitmaps, how many runs its pieces have and what lies in accessory tables. "
                    + "Rules of the paper's form lose all but IPv4 addresses and ports.",
            "Exit status 1 if plain and compressed tables differ, or if no sample could be compiled within --memory-budget.",
            ""
        })
public final class BitmapRfcCommand implements Callable<Integer> {
    private static final String TABLES = "bitmap-rfc-tables.csv";
    private static final String RATES = "bitmap-rfc.csv";

    @Spec private CommandSpec spec;

    @Mixin private RuleOptions ruleOptions = new RuleOptions();

    @Option(
            names = "--counts",
            paramLabel = "N",
            split = ",",
            defaultValue = "1000,5700,12000,17000",
            description = "Rules of each sample, separated by commas (default ${DEFAULT-VALUE}).")
    private List<Integer> counts = List.of();

    @Option(
            names = "--forms",
            paramLabel = "NAME",
            split = ",",
            defaultValue = "paper,exact,compressed,tuned",
            description = "Values of --rfc-form, separated by commas (default ${DEFAULT-VALUE}).")
    private List<String> forms = List.of();

    @Option(
            names = "--memory-budget",
            paramLabel = "SIZE",
            defaultValue = "2g",
            converter = Sizes.class,
            description = "Budget of each build (default ${DEFAULT-VALUE}).")
    private long memoryBudget = 2L << 30;

    @Option(
            names = "--rounds",
            paramLabel = "N",
            defaultValue = "9",
            description =
                    "Rounds of rates, each with a turn of plain and one of compressed tables (default ${DEFAULT-VALUE}).")
    private int rounds;

    @Option(
            names = "--turn-millis",
            paramLabel = "DURATION",
            defaultValue = "300ms",
            converter = Times.Millis.class,
            description = "CPU time of a turn (default ${DEFAULT-VALUE}; a bare number is in ms).")
    private int turnMillis;

    @Option(
            names = "--out",
            paramLabel = "DIR",
            description = "Writes " + RATES + " and " + TABLES + " there, after each sample.")
    private @Nullable Path out;

    @Option(
            names = "--note",
            paramLabel = "TEXT",
            description = "With --out: a line above the figures: machine, date.")
    private @Nullable String note;

    @Mixin private JsonOption json = new JsonOption();

    @Override
    public Integer call() {
        UsageException.requireRange("--rounds", rounds, 1, 1000);
        UsageException.requireRange("--turn-millis", turnMillis, 1, 60_000);
        if (note != null && out == null) {
            throw new UsageException(
                    "--note is an option of --out: add --out, or leave --note out");
        }
        List<RfcForm> asked =
                forms.stream().map(form -> Choice.parse("--forms", form, RfcForm.class)).toList();
        for (int count : counts) {
            UsageException.requireAtLeast("--counts", count, 1);
        }
        if (out != null) {
            OutputPath.makeFolder("--out", out, List.of(RATES, TABLES), ruleOptions.files());
        }
        long budget = memoryBudget;
        PrintWriter err = spec.commandLine().getErr();
        RuleFile file = ruleOptions.read(err);
        List<RuleSet> samples =
                counts.stream().map(count -> SampledRules.of(file.rules(), count)).toList();
        BitmapRfcStudy study = new BitmapRfcStudy(budget, rounds, turnMillis, err::println);
        for (RuleSet sample : samples) {
            study.add(sample, asked);
            if (out != null) {
                write(out, study);
            }
        }
        PrintWriter text = spec.commandLine().getOut();
        if (json.isGiven()) {
            JsonOption.print(text, study.json());
        } else {
            text.println(BitmapRfcStudy.TABLE_HEADS);
            study.tables.forEach(text::println);
            text.println();
            text.println(BitmapRfcStudy.RATE_HEADS);
            study.rates.forEach(text::println);
        }
        if (study.tables.isEmpty()) {
            err.println(
                    "sluice: no sample was compiled, so nothing was measured; raise --memory-budget, or name smaller --counts");
            return 1;
        }
        return study.wrong == 0 ? 0 : 1;
    }

    private void write(Path folder, BitmapRfcStudy study) {
        String rules = String.valueOf(ruleOptions.file().getFileName());
        TextFiles.write(
                folder.resolve(RATES),
                lines(
                        "Bitmap-RFC beside RFC",
                        rules,
                        "Random samples of %s, headers at points of their rules and near them, plain and compressed tables in turns on one"
                                        .formatted(rules)
                                + " thread by its CPU time; medians of "
                                + rounds
                                + " rounds.",
                        BitmapRfcStudy.RATE_HEADS,
                        study.rates));
        TextFiles.write(
                folder.resolve(TABLES),
                lines(
                        "Tables of Bitmap-RFC",
                        rules,
                        "X, Y and Z are the paper's; of its form rules have IPv4 addresses and ports alone. A piece is 32 entries in the"
                                + " histogram; `entries a piece` says how large the pieces are that were written.",
                        BitmapRfcStudy.TABLE_HEADS,
                        study.tables));
    }

    private String lines(String title, String rules, String what, String heads, List<String> rows) {
        List<String> lines = new ArrayList<>(List.of("# " + title, "# " + what));
        if (note != null) {
            lines.add("# " + note);
        }
        lines.add("# Rerun: `./sluice bench bitmap-rfc --rules " + rules + " --out DIR`.");
        lines.add(heads);
        lines.addAll(rows);
        return String.join("\n", lines) + "\n";
    }
}
