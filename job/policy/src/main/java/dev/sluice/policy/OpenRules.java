package dev.sluice.policy;

import dev.sluice.policy.io.SluiceException;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * An open rule file, gzip'd or not, of a known format. Nothing of it is read yet; it is opened and
 * read once, so that a pipe will do. Close it when done.
 */
public final class OpenRules implements AutoCloseable {
    private final RuleList from;
    private final BufferedReader in;
    private final RuleFormat format;

    /** A use of the text. */
    interface Use<T> {
        T of(BufferedReader in) throws IOException;
    }

    private OpenRules(RuleList from, BufferedReader in, RuleFormat format) {
        this.from = from;
        this.in = in;
        this.format = format;
    }

    /**
     * Opens a file.
     *
     * @param given a file, or FILE#LIST
     * @param format the format, or null to detect it
     * @throws SluiceException if the file cannot be read, or is of no format
     */
    public static OpenRules open(Path given, @Nullable RuleFormat format) {
        RuleList from = RuleList.of(given);
        try {
            BufferedReader in = TextFiles.open(from.file());
            try {
                RuleFormat known = format == null ? RuleFile.detect(in, from.file()) : format;
                return new OpenRules(from, in, known);
            } catch (IOException | SluiceException e) {
                in.close();
                throw e;
            }
        } catch (IOException e) {
            throw failure(from, e);
        }
    }

    private static SluiceException failure(RuleList from, IOException e) {
        return new SluiceException(TextFiles.describe("rule file", from.file(), e), e);
    }

    /** Returns whether its rules make policies, which {@link PolicyFile} reads. */
    public boolean isPolicy() {
        return format instanceof PolicyFormat;
    }

    RuleFormat format() {
        return format;
    }

    RuleList from() {
        return from;
    }

    /** Uses the text; what cannot be read of it is a {@link SluiceException}. */
    <T> T use(Use<T> use) {
        try {
            return use.of(in);
        } catch (IOException e) {
            throw failure(from, e);
        }
    }

    @Override
    public void close() {
        use(
                text -> {
                    text.close();
                    return text;
                });
    }
}
