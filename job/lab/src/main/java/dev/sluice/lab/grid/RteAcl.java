package dev.sluice.lab.grid;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.job.cli.JsonOption;
import dev.sluice.lab.kit.LabProcess;
import dev.sluice.policy.io.SluiceException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * DPDK's rte_acl, by a program outside of Sluice that is called with rules, trace, answers and a
 * name (three files in ClassBench's formats, the answers a rule index a line) and prints a line for
 * each of its forms: form, name, rules, headers, M headers/s as median, minimum and maximum,
 * seconds of the build, MB, two columns that do not count, wrong answers; separated by commas.
 *
 * @param program what is called
 * @param longest time after which it is ended
 */
record RteAcl(Path program, Duration longest) {
    private static final String FORM = "rte_acl";
    private static final String FAILURE = "rteAclFailure";
    private static final int COLUMNS = 12;

    /**
     * Runs it, and returns the record of its fastest form, or why there is none.
     *
     * @param folder for what it says
     * @throws SluiceException if it cannot be started
     */
    ObjectNode run(Path rules, Path trace, Path answers, String name, Path folder) {
        Path log = folder.resolve("rte_acl.err");
        List<String> line =
                List.of(
                        program.toString(),
                        rules.toString(),
                        trace.toString(),
                        answers.toString(),
                        name);
        try (LabProcess process = new LabProcess("--rte-acl " + program, log, line)) {
            if (!process.await(longest)) {
                process.kill();
                return JsonOption.object()
                        .put(FAILURE, "not done after " + longest.toSeconds() + " s");
            }
            List<String> lines = new ArrayList<>();
            for (String text = process.readLine(); text != null; text = process.readLine()) {
                lines.add(text);
            }
            return parse(lines, process.exitStatus(), Files.readAllLines(log));
        } catch (IOException e) {
            throw new SluiceException(log + " cannot be read: " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new SluiceException("the measurement of rte_acl was interrupted", e);
        }
    }

    /** Returns the record of the fastest of the printed forms, or why there is none. */
    static ObjectNode parse(List<String> lines, int status, List<String> errors) {
        ObjectNode record = JsonOption.object();
        List<String[]> forms =
                lines.stream()
                        .filter(line -> line.startsWith(FORM))
                        .map(line -> line.split(",", -1))
                        .filter(columns -> columns.length >= COLUMNS)
                        .toList();
        if (forms.isEmpty()) {
            String last = errors.isEmpty() ? "nothing printed" : errors.get(errors.size() - 1);
            return record.put(FAILURE, "status %d: %s".formatted(status, last));
        }
        if (forms.stream().anyMatch(form -> form[4].startsWith("BUILD"))) {
            return record.put(FAILURE, forms.get(0)[4]);
        }
        try {
            String[] best =
                    forms.stream()
                            .max(Comparator.comparingDouble(form -> Double.parseDouble(form[4])))
                            .orElseThrow();
            return record.put("rteAclForm", best[0])
                    .put("rteAclMpps", Double.parseDouble(best[4]))
                    .put("rteAclBuildSeconds", Double.parseDouble(best[7]))
                    .put("rteAclMegabytes", Double.parseDouble(best[8]))
                    .put(
                            "rteAclWrong",
                            forms.stream().mapToLong(form -> Long.parseLong(form[11])).sum());
        } catch (NumberFormatException e) {
            throw new SluiceException("rte_acl printed a line without numbers: " + lines, e);
        }
    }
}
