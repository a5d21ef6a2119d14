package dev.sluice.policy;

import dev.sluice.policy.io.SluiceException;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Files of right answers: for each header of a trace a 0-based rule index, -1 for a miss. */
public final class ExpectedAnswers {
    private ExpectedAnswers() {}

    /**
     * Reads a file.
     *
     * @param headers of the trace that it answers
     * @throws SluiceException if it cannot be read, a line is no number, or their count is another
     */
    public static int[] read(Path file, int headers) {
        List<Integer> answers = new ArrayList<>();
        try (BufferedReader in = TextFiles.open(file)) {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                answers.add(Integer.parseInt(line.strip()));
            }
        } catch (IOException e) {
            throw new SluiceException(TextFiles.describe("file of answers", file, e), e);
        } catch (NumberFormatException e) {
            throw new SluiceException(
                    file
                            + ":"
                            + (answers.size() + 1)
                            + ": is not a rule index; write one number a line, -1 for a miss",
                    e);
        }
        if (answers.size() != headers) {
            throw new SluiceException(
                    file
                            + ": has "
                            + answers.size()
                            + " answers, the trace has "
                            + headers
                            + " headers; name the answers to this trace, one a header");
        }
        return answers.stream().mapToInt(Integer::intValue).toArray();
    }
}
