package dev.sluice.policy;

import dev.sluice.policy.io.CompleteFile;
import dev.sluice.policy.io.DiskSpace;
import dev.sluice.policy.io.InputFiles;
import dev.sluice.policy.io.SluiceException;
import java.io.BufferedInputStream;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.FilterReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.Reader;
import java.io.StringWriter;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;

/** Text files, gzip'd or not, and words for what is wrong with a file or a folder. */
public final class TextFiles {
    private TextFiles() {}

    /**
     * Opens a text for reading, behind a byte order mark of UTF-8; gzip is told by the first two
     * bytes.
     */
    public static BufferedReader open(Path file) throws IOException {
        if (Files.isDirectory(file)) {
            throw new IOException("it is a folder");
        }
        InputStream in = new BufferedInputStream(InputFiles.open(file), 1 << 16);
        in.mark(2);
        boolean gzip = in.read() == 0x1f && in.read() == 0x8b;
        in.reset();
        InputStream text = gzip ? new BufferedInputStream(new GZIPInputStream(in, 1 << 16)) : in;
        text.mark(3);
        if (text.read() != 0xef || text.read() != 0xbb || text.read() != 0xbf) {
            text.reset(); // no byte order mark of UTF-8
        }
        // ISO 8859-1 takes every byte: what is wrong with a line is then said by its parser.
        return new BufferedReader(
                new BoundedLines(new InputStreamReader(text, StandardCharsets.ISO_8859_1)),
                1 << 16);
    }

    /** Takes the entries of a file. */
    public interface EntryTaker {
        /**
         * Takes an entry.
         *
         * @param line its number, from 1
         * @param text without its comment and the blanks around it
         */
        void take(int line, String text);
    }

    /**
     * Reads the lines of a text that hold more than a comment behind {@code #}.
     *
     * @param kind words for the file, as in {@code file of hosts}
     * @throws SluiceException if it cannot be read
     */
    public static void eachEntry(Path file, String kind, EntryTaker taker) {
        try (BufferedReader in = open(file)) {
            int number = 0;
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                number++;
                String text = LineScanner.withoutComment(inUtf8(line)).strip();
                if (!text.isEmpty()) {
                    taker.take(number, text);
                }
            }
        } catch (IOException e) {
            throw new SluiceException(describe(kind, file, e), e);
        }
    }

    /** Refuses lines that no person writes, before they fill the memory: of a device, or a bomb. */
    private static final class BoundedLines extends FilterReader {
        private static final int MOST = 1 << 20;

        private long length;

        BoundedLines(Reader in) {
            super(in);
        }

        @Override
        public int read(char[] text, int from, int most) throws IOException {
            int count = super.read(text, from, most);
            int end = from + Math.max(0, count) - 1;
            int at = end;
            while (at >= from && text[at] != '\n' && text[at] != '\r') {
                at--;
            }
            length = at >= from ? end - at : length + Math.max(0, count);
            if (length > MOST) {
                throw new IOException(
                        "a line of it is longer than %,d characters; check whether it is a text"
                                .formatted(MOST));
            }
            return count;
        }
    }

    /** The rest of a text of {@link #open} in the characters that its author wrote. */
    public static String text(BufferedReader in) throws IOException {
        StringWriter all = new StringWriter();
        in.transferTo(all);
        return inUtf8(all.toString());
    }

    /**
     * A line of {@link #open} in the characters that its author wrote: those of UTF-8, or of ISO
     * 8859-1 where the bytes are not UTF-8.
     */
    public static String inUtf8(String line) {
        if (line.chars().allMatch(c -> c < 0x80)) {
            return line;
        }
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(line.getBytes(StandardCharsets.ISO_8859_1)))
                    .toString();
        } catch (CharacterCodingException e) {
            return line; // the author's editor wrote ISO 8859-1
        }
    }

    /** One line for a person: which file, what is wrong, what to do. */
    public static String describe(String what, Path file, IOException e) {
        if (e instanceof NoSuchFileException) {
            return what + " " + file + " does not exist; check the path";
        }
        if (e instanceof AccessDeniedException) {
            return what + " " + file + " may not be read; check its permissions";
        }
        return what + " " + file + " cannot be read: " + e.getMessage();
    }

    /** The same of a file that was to be written. */
    public static String describeWriting(Path file, IOException e) {
        if (e instanceof NoSuchFileException && isInFolder(file)) {
            return "file %s cannot be written: its folder takes no such file; name another one"
                    .formatted(file);
        }
        if (e instanceof NoSuchFileException) {
            return "file %s cannot be written: there is no folder %s; make it first"
                    .formatted(file, file.toAbsolutePath().getParent());
        }
        if (e instanceof AccessDeniedException) {
            return "file " + file + " may not be written; check permissions of it and its folder";
        }
        if (Files.isDirectory(file)) {
            return "file " + file + " cannot be written: it is a folder; name a file in it";
        }
        if (DiskSpace.isFull(e)) {
            return "file %s cannot be written: no space is left in %s; free some, or name a file on a larger disk"
                    .formatted(file, file.toAbsolutePath().getParent());
        }
        String reason = e instanceof FileSystemException on ? on.getReason() : null;
        return "file " + file + " cannot be written: " + (reason == null ? e.getMessage() : reason);
    }

    /**
     * Writes a text file, in UTF-8.
     *
     * @throws SluiceException if it cannot be written
     */
    public static void write(Path file, String text) {
        write(file, out -> out.write(text));
    }

    /** Text of a file, as it is written. */
    public interface Content {
        /**
         * Writes it.
         *
         * @throws IOException if it cannot be written
         */
        void write(BufferedWriter out) throws IOException;
    }

    /**
     * Writes a text to a file, which has its name when it is complete; gzip'd where the name ends
     * with .gz.
     *
     * @throws SluiceException if it cannot be written
     */
    public static void write(Path file, Content content) {
        try (CompleteFile whole = CompleteFile.open(file)) {
            OutputStream raw = whole.out();
            try (OutputStream to =
                            file.toString().endsWith(".gz") ? new GZIPOutputStream(raw) : raw;
                    BufferedWriter out =
                            new BufferedWriter(
                                    new OutputStreamWriter(to, StandardCharsets.UTF_8))) {
                content.write(out);
            }
            whole.complete();
        } catch (IOException e) {
            throw new SluiceException(describeWriting(file, e), e);
        }
    }

    /**
     * Fails if a file could not be written, which is left as it is, or is not there.
     *
     * @throws SluiceException with the reason
     */
    public static void requireWritable(Path file) {
        boolean there = Files.exists(file);
        try {
            Files.newByteChannel(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE).close();
            if (!there) {
                Files.deleteIfExists(file);
            }
        } catch (IOException e) {
            throw new SluiceException(describeWriting(file, e), e);
        }
    }

    private static boolean isInFolder(Path file) {
        Path folder = file.toAbsolutePath().getParent();
        return folder != null && Files.isDirectory(folder);
    }

    /**
     * Makes a folder that is to take files, where it is missing.
     *
     * @throws SluiceException if it cannot be made, or may not be written
     */
    public static void makeFolder(Path folder) {
        try {
            Files.createDirectories(folder);
        } catch (IOException e) {
            throw new SluiceException(describeMaking(folder, e), e);
        }
        if (!Files.isWritable(folder)) {
            throw new SluiceException(notWritable(folder));
        }
    }

    /** One line for a person: which folder cannot be made or used, why, what to do. */
    public static String describeMaking(Path folder, IOException e) {
        Path there = nearest(folder);
        if (!Files.isDirectory(there)) {
            boolean file = Files.exists(there);
            return "folder %s cannot be made: %s is a %s; name another folder"
                    .formatted(
                            folder,
                            there.equals(folder) ? "it" : there,
                            file ? "file" : "link to nothing");
        }
        if (e instanceof AccessDeniedException || !Files.isWritable(there)) {
            return there.equals(folder)
                    ? notWritable(folder)
                    : "folder %s cannot be made: %s may not be written; check its permissions, or name another folder"
                            .formatted(folder, there);
        }
        String reason = e instanceof FileSystemException on ? on.getReason() : e.getMessage();
        return "folder %s cannot be made: %s; name another folder"
                .formatted(folder, reason == null ? there + " takes no new folders" : reason);
    }

    private static String notWritable(Path folder) {
        return "folder " + folder + " may not be written; check its permissions, or name another";
    }

    /** The folder, or of those above it the first that is there. */
    private static Path nearest(Path folder) {
        for (Path at = folder; at != null; at = at.getParent()) {
            if (Files.exists(at, LinkOption.NOFOLLOW_LINKS)) {
                return at;
            }
        }
        return Path.of("").toAbsolutePath();
    }
}
