package dev.sluice.job.cli;

import dev.sluice.job.UsageException;
import dev.sluice.job.table.LinesOut;
import dev.sluice.job.table.RowForm;
import dev.sluice.job.table.RowsOut;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.ArgGroupSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Spec;

/** How a command prints rows. */
final class RowOptions {
    /** Format of rows. */
    enum Format {
        TABLE("columns aligned, no wider than the terminal"),
        TSV("tab-separated, with a line of names"),
        JSON("a JSON object a line"),
        SARIF("a log of findings, as code review tools show them"),
        MARKDOWN("a table for pull requests");

        private final String words;

        Format(String words) {
            this.words = words;
        }
    }

    private final Set<Format> formats = EnumSet.of(Format.TABLE, Format.TSV, Format.JSON);
    private final OptionSpec format;
    private final OptionSpec json;

    /**
     * Options of a command.
     *
     * @param more formats that it prints beside table, tsv and json
     */
    RowOptions(Format... more) {
        formats.addAll(Arrays.asList(more));
        List<String> words = new ArrayList<>();
        formats.forEach(one -> words.add("%s (%s)".formatted(Choice.label(one), one.words)));
        format =
                OptionSpec.builder("--format")
                        .type(Format.class)
                        .paramLabel("FORMAT")
                        .converters(OptionTypes.refusing(this::parse))
                        .completionCandidates(formats.stream().map(Choice::label).toList())
                        .description(
                                String.join(", ", words)
                                        + " (default: table on a terminal, else tsv).")
                        .build();
        json =
                OptionSpec.builder("--json")
                        .type(boolean.class)
                        .description("The same as --format json.")
                        .build();
    }

    /** Adds the options, of which one is given at most. */
    @Spec
    void setSpec(CommandSpec spec) {
        spec.addArgGroup(ArgGroupSpec.builder().addArg(format).addArg(json).build());
    }

    private Format parse(String text) {
        Format named = Choice.parse(text, Format.class);
        if (!formats.contains(named)) {
            throw new UsageException(
                    "%s: the command has no rows of this format; use one of %s"
                            .formatted(
                                    text,
                                    formats.stream()
                                            .map(Choice::label)
                                            .collect(Collectors.joining(", "))));
        }
        return named;
    }

    /** Opens the output of rows in the chosen format, one of table, tsv and json. */
    <R> RowsOut<R> open(RowForm<R> rows, LinesOut out) {
        return open(
                rows,
                out,
                lines -> {
                    throw new UsageException(
                            "--format %s: there are no rows of this format; use table, tsv or json"
                                    .formatted(Choice.label(format())));
                });
    }

    /**
     * Opens the output of rows in the chosen format.
     *
     * @param other opens it in the one that the command has more
     */
    <R> RowsOut<R> open(RowForm<R> rows, LinesOut out, Function<LinesOut, RowsOut<R>> other) {
        return switch (format()) {
            case TABLE ->
                    rows.aligned(out, Console.isTerminal() ? Console.columns() : Integer.MAX_VALUE);
            case TSV -> rows.tabSeparated(out);
            case JSON -> rows.json(out);
            case SARIF, MARKDOWN -> other.apply(out);
        };
    }

    private Format format() {
        @Nullable Format chosen = format.getValue();
        if (chosen != null) {
            return chosen;
        }
        boolean asJson = Boolean.TRUE.equals(json.<Boolean>getValue());
        return asJson ? Format.JSON : Console.isTerminal() ? Format.TABLE : Format.TSV;
    }
}
