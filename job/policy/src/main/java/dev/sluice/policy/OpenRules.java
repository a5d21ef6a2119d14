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
    /** Characters of a file's begin that a format is told by. */
    private static final int BEGIN = 1 << 16;

    private final RuleList from;
    private final BufferedReader in;
    private final RuleFormat format;

    /** A use of the text. */
    public interface Use<T> {
        /** Reads what it needs of the text. */
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
                RuleFormat known = format == null ? detect(in, from.file()) : format;
                return new OpenRules(from, in, known);
            } catch (IOException | SluiceException e) {
                in.close();
                throw e;
            }
        } catch (IOException e) {
            throw failure(from, e);
        }
    }

    /** Returns whether a file begins as a rule file does. */
    public static boolean isRules(Path file) {
        try (BufferedReader in = TextFiles.open(file)) {
            return RuleFormats.claiming(begin(in)) != null;
        } catch (IOException | SluiceException e) {
            return false; // whoever reads it says what it is
        }
    }

    private static RuleFormat detect(BufferedReader in, Path file) throws IOException {
        String begin = begin(in);
        if (RuleFormats.seen(begin).isEmpty()) {
            throw new SluiceException(noRule(file));
        }
        long line = 1 + begin.lines().takeWhile(text -> !RuleFormats.tells(text)).count();
        RuleFormat claiming;
        try {
            claiming = RuleFormats.claiming(begin);
        } catch (SluiceException e) {
            throw new SluiceException(file + ":" + line + ": " + e.getMessage(), e);
        }
        if (claiming == null) {
            throw new SluiceException(
                    "%s:%d: %s; if it is one of them, name it by --rules-format"
                            .formatted(file, line, RuleFormats.unclaimed(begin)));
        }
        return claiming;
    }

    /** The begin of a text, which stays to be read. */
    private static String begin(BufferedReader in) throws IOException {
        char[] begin = new char[BEGIN];
        in.mark(BEGIN);
        int length = 0;
        for (int more = 0; more >= 0 && length < BEGIN; length += Math.max(0, more)) {
            more = in.read(begin, length, BEGIN - length);
        }
        in.reset();
        return TextFiles.inUtf8(new String(begin, 0, length));
    }

    /** The message about a file without rules. */
    static String noRule(Path file) {
        return "%s: holds no rule; write rules of one format (%s)"
                .formatted(file, String.join(", ", RuleFormats.labels()));
    }

    private static SluiceException failure(RuleList from, IOException e) {
        return new SluiceException(TextFiles.describe("rule file", from.file(), e), e);
    }

    /** Returns whether its rules make policies, which {@link PolicyFile} reads. */
    public boolean isPolicy() {
        return format instanceof PolicyFormat;
    }

    /** The format of the text. */
    public RuleFormat format() {
        return format;
    }

    /** The file, without the name of a list. */
    public Path file() {
        return from.file();
    }

    RuleList from() {
        return from;
    }

    /** Uses the text; what cannot be read of it is a {@link SluiceException}. */
    public <T> T use(Use<T> use) {
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
