package dev.sluice.lab.grid;

import dev.sluice.policy.io.SluiceException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * DPDK's rte_acl, by a program outside of Sluice that is called with rules, trace, answers and a
 * name (three files in ClassBench's formats, the answers a rule index a line) and prints a line for
 * each of its forms: form, name, rules, headers, M headers/s as median, minimum and maximum,
 * seconds of the build, MB, two columns that do not count, wrong answers; separated by commas.
 *
 * @param program what is called
 * @param seconds after which it is ended
 */
record RteAcl(Path program, int seconds) {
    private static final String FORM = "rte_acl";
    private static final int COLUMNS = 12;

    /**
     * Result of a measurement: the rate of its fastest form.
     *
     * @param failure why there is no rate, absent where there is one; then all else is 0
     */
    record Result(
            String form,
            double mpps,
            double buildSeconds,
            double megabytes,
            long wrong,
            @Nullable String failure) {
        private static Result failed(String failure) {
            return new Result(FORM, 0, 0, 0, 0, failure);
        }
    }

    /**
     * Runs it.
     *
     * @param folder for what it says
     * @throws SluiceException if it cannot be started
     */
    Result run(Path rules, Path trace, Path answers, String name, Path folder) {
        Path out = folder.resolve("rte_acl.out");
        Path err = folder.resolve("rte_acl.err");
        try {
            Process process =
                    new ProcessBuilder(
                                    program.toString(),
                                    rules.toString(),
                                    trace.toString(),
                                    answers.toString(),
                                    name)
                            .redirectOutput(out.toFile())
                            .redirectError(err.toFile())
                            .start();
            try {
                if (!process.waitFor(seconds, TimeUnit.SECONDS)) {
                    return Result.failed("not done after " + seconds + " s");
                }
            } finally {
                process.destroyForcibly();
            }
            List<String> lines = Files.readAllLines(out);
            return parse(lines, process.exitValue(), Files.readAllLines(err));
        } catch (IOException e) {
            throw new SluiceException(
                    "--rte-acl " + program + " cannot be run: " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new SluiceException("the measurement of rte_acl was interrupted", e);
        }
    }

    /** The fastest of the printed forms, or why there is none. */
    static Result parse(List<String> lines, int status, List<String> errors) {
        List<String[]> forms =
                lines.stream()
                        .filter(line -> line.startsWith(FORM))
                        .map(line -> line.split(",", -1))
                        .filter(columns -> columns.length >= COLUMNS)
                        .toList();
        if (forms.isEmpty() || forms.stream().anyMatch(form -> form[4].startsWith("BUILD"))) {
            return Result.failed(
                    forms.isEmpty()
                            ? "status %d: %s"
                                    .formatted(
                                            status,
                                            errors.isEmpty()
                                                    ? "nothing printed"
                                                    : errors.get(errors.size() - 1))
                            : forms.get(0)[4]);
        }
        try {
            String[] best =
                    forms.stream()
                            .max(Comparator.comparingDouble(form -> Double.parseDouble(form[4])))
                            .orElseThrow();
            long wrong = forms.stream().mapToLong(form -> Long.parseLong(form[11])).sum();
            return new Result(
                    best[0],
                    Double.parseDouble(best[4]),
                    Double.parseDouble(best[7]),
                    Double.parseDouble(best[8]),
                    wrong,
                    null);
        } catch (NumberFormatException e) {
            throw new SluiceException("rte_acl printed a line without numbers: " + lines, e);
        }
    }
}
