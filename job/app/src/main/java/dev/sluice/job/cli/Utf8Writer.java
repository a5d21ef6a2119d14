package dev.sluice.job.cli;

import dev.sluice.job.EscapedText;
import dev.sluice.job.replay.LineBytes;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A writer of UTF-8, buffered, that flushes at the end of each printed line. What it prints is
 * {@link EscapedText}: whatever a text holds, it is one line to {@code println}, and one word to
 * {@code printf}. Lines that are bytes already are written as they are.
 */
final class Utf8Writer extends PrintWriter {
    private static final int BUFFER = 1 << 16;

    private final OutputStream stream;

    Utf8Writer(OutputStream stream) {
        super(
                new BufferedWriter(new OutputStreamWriter(stream, StandardCharsets.UTF_8), BUFFER),
                true);
        this.stream = stream;
    }

    /** Writes lines behind what was printed; a failure shows in {@link #checkError}. */
    void write(LineBytes lines) {
        synchronized (lock) {
            flush();
            try {
                lines.writeTo(stream);
            } catch (IOException e) {
                setError();
            }
        }
    }

    @Override
    public void write(int c) {
        write(String.valueOf((char) c));
    }

    @Override
    public void write(char[] text, int from, int length) {
        write(new String(text, from, length));
    }

    @Override
    public void write(String text, int from, int length) {
        String shown = EscapedText.lines(text.substring(from, from + length));
        super.write(shown, 0, shown.length());
    }

    @Override
    public void println(@Nullable String line) {
        super.println(EscapedText.line(String.valueOf(line)));
    }

    @Override
    public void println(@Nullable Object line) {
        println(String.valueOf(line));
    }

    @Override
    public PrintWriter format(String form, @Nullable Object... words) {
        return super.format(form, escaped(words));
    }

    @Override
    public PrintWriter format(Locale locale, String form, @Nullable Object... words) {
        return super.format(locale, form, escaped(words));
    }

    private static @Nullable Object[] escaped(@Nullable Object... words) {
        return Arrays.stream(words)
                .map(
                        word ->
                                word == null || word instanceof Number || word instanceof Boolean
                                        ? word
                                        : EscapedText.line(word.toString()))
                .toArray();
    }
}
