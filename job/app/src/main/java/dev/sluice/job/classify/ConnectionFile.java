package dev.sluice.job.classify;

import dev.sluice.job.replay.LineBytes;
import dev.sluice.job.replay.OutputFile;
import dev.sluice.policy.TextFiles;
import dev.sluice.policy.io.SluiceException;
import dev.sluice.schemas.codec.Connection;
import dev.sluice.schemas.codec.MessageSchemas;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.function.Consumer;
import org.apache.avro.file.CodecFactory;
import org.apache.avro.file.DataFileWriter;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.generic.GenericRecord;
import org.jspecify.annotations.Nullable;

/**
 * File of rows of connections, which gets its name when it is complete. Not thread-safe.
 *
 * <p>A failure to write is a {@link SluiceException} that names the file.
 */
public final class ConnectionFile implements Consumer<Connection>, AutoCloseable {
    /** Form of a file. */
    public enum Format {
        /** Tab-separated values, below a line of names. */
        TSV,
        /** A JSON object a line. */
        JSON,
        /** An Avro container file, or messages, of the schema {@code Connection}. */
        AVRO;

        /** Returns a row as a message that stands for itself. */
        public byte[] message(Connection row) {
            return this == AVRO ? row.encode() : text(row).getBytes(StandardCharsets.UTF_8);
        }

        /** Returns a row as a line of text, without its end. */
        private String text(Connection row) {
            return this == TSV ? ConnectionForm.line(row) : ConnectionForm.json(row).toString();
        }
    }

    /** Level of compression: fast, and at most half of the bytes remain. */
    private static final int COMPRESSION = 1;

    private final Path path;
    private final OutputFile file;
    private final Format format;
    private final LineBytes line = new LineBytes(256);
    private final @Nullable DataFileWriter<GenericRecord> avro;
    private long rows;

    /**
     * Opens a file.
     *
     * @param growing whether it has its name from the start
     */
    public ConnectionFile(Path path, Format format, boolean growing) {
        this.path = path;
        this.format = format;
        file = growing ? OutputFile.growing(path) : new OutputFile(path);
        avro = format == Format.AVRO ? new DataFileWriter<>(new GenericDatumWriter<>()) : null;
        try {
            begin();
        } catch (IOException e) {
            file.close();
            throw failed(e);
        } catch (RuntimeException | Error e) {
            file.close();
            throw e;
        }
    }

    private void begin() throws IOException {
        if (avro != null) {
            avro.setCodec(CodecFactory.deflateCodec(COMPRESSION));
            avro.create(MessageSchemas.current("Connection"), file.out());
        } else if (format == Format.TSV) {
            write(ConnectionForm.titles());
        }
    }

    private SluiceException failed(IOException e) {
        return new SluiceException(TextFiles.describeWriting(path, e), e);
    }

    private void write(String text) {
        line.clear();
        file.write(line.append(text).append('\n'));
    }

    @Override
    public void accept(Connection row) {
        rows++;
        if (avro == null) {
            write(format.text(row));
            return;
        }
        try {
            avro.append(row.toRecord());
        } catch (IOException e) {
            throw failed(e);
        }
    }

    /**
     * Ends the file after its last row.
     *
     * @param complete whether it gets its name, or keeps that of an incomplete one
     * @return its path
     */
    public Path end(boolean complete) {
        try {
            if (avro != null) {
                avro.flush();
            }
        } catch (IOException e) {
            throw failed(e);
        }
        if (!complete) {
            return file.keep();
        }
        file.complete();
        return path;
    }

    /** Returns the number of rows so far. */
    public long rows() {
        return rows;
    }

    /** Closes the file; removes it if it was not ended. */
    @Override
    public void close() {
        file.close();
    }
}
