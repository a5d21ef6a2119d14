package dev.sluice.job.classify;

import dev.sluice.job.ShellWord;
import dev.sluice.job.UsageException;
import dev.sluice.job.capture.CaptureWriter;
import dev.sluice.job.capture.Captures;
import dev.sluice.job.replay.OutputFile;
import dev.sluice.policy.TextFiles;
import dev.sluice.policy.io.SluiceException;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;

/** The capture that a filter writes: a file, gzip'd where its name says so, or standard output. */
public final class FilteredCapture implements AutoCloseable {
    /** Programs that compress, by the endings of their files' names. */
    private static final Map<String, String> COMPRESSORS =
            Map.of("zst", "zstd", "zstd", "zstd", "lz4", "lz4", "bz2", "bzip2", "xz", "xz");

    private static final Pattern COMPRESSED =
            Pattern.compile(".*\\.(zstd?|lz4|bz2|xz)", Pattern.CASE_INSENSITIVE | Pattern.DOTALL);

    private final Path to;
    private final @Nullable OutputFile file;

    /**
     * Begins the file, under another name until it is complete.
     *
     * @param to - for standard output
     * @throws SluiceException if it cannot be written
     */
    public FilteredCapture(Path to) {
        this.to = to;
        file = isStandardOutput(to) ? null : new OutputFile(to);
    }

    /** Returns whether a name stands for standard output. */
    public static boolean isStandardOutput(Path to) {
        return to.equals(CaptureSource.STANDARD_INPUT);
    }

    /** The form that the file's name asks for. */
    private CaptureWriter.Form form() {
        String name = to.toString().toLowerCase(Locale.ROOT).replaceFirst("\\.gz$", "");
        return name.endsWith(".pcap") ? CaptureWriter.Form.PCAP : CaptureWriter.Form.PCAPNG;
    }

    /**
     * Refuses a name that says another compression than the file would have.
     *
     * @throws UsageException if it does
     */
    public static void requireName(Path to) {
        Matcher name = COMPRESSED.matcher(to.toString());
        if (name.matches()) {
            String ending = name.group(1).toLowerCase(Locale.ROOT);
            throw new UsageException(
                    "-w %s: filter compresses by gzip alone; write -w - | %s > %s, or a name that ends with .gz"
                            .formatted(to, COMPRESSORS.get(ending), ShellWord.of(to)));
        }
    }

    /**
     * Opens it for packets.
     *
     * @param form null: the one that the name asks for
     * @param captures that they come from
     */
    public CaptureWriter open(CaptureWriter.@Nullable Form form, List<Path> captures)
            throws IOException {
        return Captures.create(
                form == null ? form() : form,
                stream(),
                captures.stream().map(Path::toString).toList());
    }

    private OutputStream stream() throws IOException {
        if (file == null) {
            return new FileOutputStream(FileDescriptor.out);
        }
        return to.toString().toLowerCase(Locale.ROOT).endsWith(".gz")
                ? new GZIPOutputStream(file.out(), true)
                : file.out();
    }

    /**
     * Gives the file its name.
     *
     * @param broken whether reading was broken off: then the file keeps the name of one that is not
     *     complete
     * @return where it is
     * @throws SluiceException if that cannot be done
     */
    public Path complete(boolean broken) {
        if (file != null && broken) {
            return file.keep();
        }
        if (file != null) {
            file.complete();
        }
        return to;
    }

    /** A failure to write it. */
    public SluiceException failure(IOException e) {
        return new SluiceException(TextFiles.describeWriting(to, e), e);
    }

    @Override
    public void close() {
        if (file != null) {
            file.close();
        }
    }
}
