package dev.sluice.policy;

import dev.sluice.policy.io.SluiceException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * An open rule file, gzip'd or not, of a known format. Nothing of it is read yet; it is opened and
 * read once, so that a pipe will do. Close it when done.
 */
public final class OpenRules implements AutoCloseable {
    /** Characters of a file's begin that a format is told by. */

    /** Files of a folder that are read; not those of hidden folders and editors. */
    private static final Pattern OF_FOLDERS =
            Pattern.compile("(?!.*/\\.[^./])(?i).*\\.(ya?ml|json)(\\.gz)?");

    private final RuleList from;
    private final BufferedReader in;
    private final RuleFormat format;

    /** The file, or those of the folder in order. */
    private final List<Path> files;

    /** A use of the text. */
    public interface Use<T> {
        /** Reads what it needs of the text. */
        T of(BufferedReader in) throws IOException;
    }

    private OpenRules(RuleList from, List<Path> files, BufferedReader in, RuleFormat format) {
        this.from = from;
        this.files = files;
        this.in = in;
        this.format = format;
    }

    /**
     * Opens a file, or the files of a folder that make one policy.
     *
     * @param given a file or a folder, or FILE#LIST
     * @param format the format, or null to detect it
     * @throws SluiceException if the file cannot be read, or is of no format
     */
    public static OpenRules open(Path given, @Nullable RuleFormat format) {
        RuleList from = RuleList.of(given);
        try {
            boolean isFolder = Files.isDirectory(from.file());
            List<Path> files = isFolder ? filesBelow(from.file()) : List.of(from.file());
            BufferedReader in = TextFiles.open(files.get(0));
            try {
                RuleFormat known = format == null ? detect(in, files.get(0)) : format;
                if (isFolder && !(known instanceof PolicyFormat of && of.readsFolders())) {
                    throw new SluiceException(
                            "%s: is a folder, and %s is a format of single files; name one of its files"
                                    .formatted(from.file(), known.title()));
                }
                return new OpenRules(from, files, in, known);
            } catch (IOException | SluiceException e) {
                in.close();
                throw e;
            }
        } catch (IOException e) {
            throw failure(from, e);
        }
    }

    /** The files that may hold a part of a policy, in the order of their paths. */
    private static List<Path> filesBelow(Path folder) throws IOException {
        try (Stream<Path> all = Files.walk(folder)) {
            List<Path> files =
                    all.filter(file -> OF_FOLDERS.matcher("/" + folder.relativize(file)).matches())
                            .filter(Files::isRegularFile)
                            .sorted()
                            .toList();
            if (files.isEmpty()) {
                throw new SluiceException(
                        "%s: is a folder without .yaml, .yml or .json files; name a rule file"
                                .formatted(folder));
            }
            return files;
        } catch (UncheckedIOException e) {
            throw e.getCause();
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
        if (begin.isEmpty()) {
            throw new SluiceException(
                    file + ": is empty; name a file of rules, such as the output of iptables-save");
        }
        long line = 1 + begin.lines().takeWhile(text -> !RuleFormats.tells(text)).count();
        RuleFormat claiming;
        try {
            claiming = RuleFormats.claiming(begin);
        } catch (SluiceException e) {
            throw new SluiceException(file + ":" + line + ": " + e.getMessage(), e);
        }
        String foreign = claiming == null ? ForeignRules.describe(begin) : null;
        if (foreign != null) {
            throw new SluiceException(file + ": " + foreign);
        }
        if (RuleFormats.seen(begin).isEmpty()) {
            throw new SluiceException(noRule(file));
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
        char[] begin = new char[RuleFormat.BEGIN];
        in.mark(RuleFormat.BEGIN);
        int length = 0;
        for (int more = 0; more >= 0 && length < RuleFormat.BEGIN; length += Math.max(0, more)) {
            more = in.read(begin, length, RuleFormat.BEGIN - length);
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

    public RuleList from() {
        return from;
    }

    /** A reading of the text. */
    public RuleReading reading(BufferedReader text) {
        return new RuleReading(text, from, files, SwitchPorts.NONE);
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
