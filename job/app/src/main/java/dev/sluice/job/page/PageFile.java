package dev.sluice.job.page;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import dev.sluice.job.page.PageColumn.Kind;
import dev.sluice.policy.TextFiles;
import dev.sluice.policy.io.CompleteFile;
import dev.sluice.policy.io.SluiceException;
import java.io.ByteArrayOutputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.zip.Deflater;
import java.util.zip.DeflaterOutputStream;
import org.jspecify.annotations.Nullable;

/**
 * Writer of a {@link Page} as one file of HTML, which loads nothing.
 *
 * <p>Its form is that of the package text.
 */
public final class PageFile implements AutoCloseable {
    private static final String LIBRARY = "/META-INF/resources/webjars/uplot/1.6.30/";
    private static final Map<String, String> PARTS =
            Map.of(
                    "uplot-license",
                    LIBRARY + "LICENSE",
                    "uplot-css",
                    LIBRARY + "dist/uPlot.min.css",
                    "uplot-js",
                    LIBRARY + "dist/uPlot.iife.min.js",
                    "css",
                    "page.css",
                    "chart-js",
                    "chart.js",
                    "js",
                    "page.js");

    /** Section whose rules other sections name by their rows. */
    private static final String RULES = "rules";

    private final Path to;
    private final CompleteFile file;

    /**
     * Opens a file, which gets its name when its page is written.
     *
     * @throws SluiceException if it cannot be written; the methods throw it likewise
     */
    public PageFile(Path to) {
        this.to = to;
        try {
            file = CompleteFile.open(to);
        } catch (IOException e) {
            throw failed(e);
        }
    }

    /** Writes the page. */
    public void write(Page page) {
        try {
            write(page, file.out());
            file.complete();
        } catch (IOException e) {
            throw failed(e);
        }
    }

    @Override
    public void close() {
        try {
            file.close();
        } catch (IOException e) {
            throw failed(e);
        }
    }

    private SluiceException failed(IOException e) {
        return new SluiceException(TextFiles.describeWriting(to, e), e);
    }

    /** The numbers and words of the page, compressed and in base64. */
    static byte[] data(Page page) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        data(page, out);
        return out.toByteArray();
    }

    private static void write(Page page, OutputStream out) throws IOException {
        List<byte[]> frame = frame(page.notices() != null);
        out.write(frame.get(0));
        data(page, out);
        out.write(frame.get(1));
    }

    /**
     * The two parts of a page before its data and behind them.
     *
     * @param live whether its script asks for newer data
     */
    static List<byte[]> frame(boolean live) throws IOException {
        String frame = resource("page.html");
        List<byte[]> parts = new ArrayList<>();
        StringBuilder part = new StringBuilder();
        int at = 0;
        for (int open = frame.indexOf("{{"); open >= 0; open = frame.indexOf("{{", at)) {
            part.append(frame, at, open);
            int close = frame.indexOf("}}", open);
            String name = frame.substring(open + 2, close);
            if (name.equals("data")) {
                parts.add(part.toString().getBytes(StandardCharsets.UTF_8));
                part.setLength(0);
            } else if (name.equals("connect")) {
                part.append(live ? "; connect-src 'self'" : "");
            } else {
                part.append(resource(Objects.requireNonNull(PARTS.get(name), name)));
            }
            at = close + 2;
        }
        parts.add(part.append(frame.substring(at)).toString().getBytes(StandardCharsets.UTF_8));
        return parts;
    }

    /** Text of a file beside this class. */
    static String resource(String name) throws IOException {
        try (InputStream in = PageFile.class.getResourceAsStream(name)) {
            return new String(
                    Objects.requireNonNull(in, name).readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private static void data(Page page, OutputStream out) throws IOException {
        Deflater deflater = new Deflater(Deflater.BEST_COMPRESSION, true);
        OutputStream open =
                new FilterOutputStream(out) {
                    @Override
                    public void write(byte[] bytes, int from, int length) throws IOException {
                        out.write(bytes, from, length);
                    }

                    @Override
                    public void close() {} // the page goes on behind the data
                };
        try (JsonGenerator json =
                new JsonFactory()
                        .createGenerator(
                                new DeflaterOutputStream(
                                        Base64.getEncoder().wrap(open), deflater, 1 << 16))) {
            json(page, json);
        } finally {
            deflater.end();
        }
    }

    private static void json(Page page, JsonGenerator json) throws IOException {
        json.writeStartObject();
        json.writeStringField("title", page.title());
        json.writeArrayFieldStart("facts");
        for (Map.Entry<String, Object> fact : page.facts().entrySet()) {
            json.writeStartArray();
            json.writeString(fact.getKey());
            value(json, fact.getValue());
            json.writeEndArray();
        }
        json.writeEndArray();
        if (page.notices() != null) {
            json.writeFieldName("notices");
            String[] notices = page.notices().toArray(String[]::new);
            json.writeArray(notices, 0, notices.length);
        }
        json.writeArrayFieldStart("sections");
        Map<String, Integer> rules = rules(page);
        for (PageSection section : page.sections()) {
            section(section, section.id.equals(RULES) ? Map.of() : rules, json);
        }
        json.writeEndArray();
        json.writeEndObject();
    }

    /** Rows of the section of rules by the words of their rules, the first of each. */
    private static Map<String, Integer> rules(Page page) {
        Map<String, Integer> rows = new HashMap<>();
        for (PageSection section : page.sections()) {
            int column = section.columns.stream().map(PageColumn::kind).toList().indexOf(Kind.RULE);
            for (int i = 0;
                    section.id.equals(RULES) && column >= 0 && i < section.rows.size();
                    i++) {
                if (section.rows.get(i)[column] instanceof String words) {
                    rows.putIfAbsent(words, i);
                }
            }
        }
        return rows;
    }

    private static void section(PageSection section, Map<String, Integer> rules, JsonGenerator json)
            throws IOException {
        json.writeStartObject();
        json.writeStringField("id", section.id);
        json.writeStringField("title", section.title);
        json.writeStringField("note", section.note);
        if (section.figure instanceof PageFigure.Chart chart) {
            json.writeObjectFieldStart("chart");
            json.writeNumberField("step", chart.stepMillis());
            json.writeEndObject();
        } else if (section.figure instanceof PageFigure.Matrix matrix) {
            matrix(matrix, json);
        }
        json.writeArrayFieldStart("columns");
        for (PageColumn column : section.columns) {
            json.writeStartObject();
            json.writeStringField("name", column.name());
            json.writeStringField("kind", column.kind().word());
            json.writeEndObject();
        }
        json.writeEndArray();
        json.writeArrayFieldStart("data");
        for (int column = 0; column < section.columns.size(); column++) {
            json.writeStartArray();
            boolean named = section.columns.get(column).kind() == Kind.RULE;
            for (@Nullable Object[] row : section.rows) {
                Integer at = named && row[column] instanceof String words ? rules.get(words) : null;
                value(json, at == null ? row[column] : Long.valueOf(at));
            }
            json.writeEndArray();
        }
        json.writeEndArray();
        json.writeEndObject();
    }

    private static void matrix(PageFigure.Matrix matrix, JsonGenerator json) throws IOException {
        json.writeObjectFieldStart("matrix");
        json.writeStringField("row", matrix.rowName());
        json.writeStringField("column", matrix.columnName());
        json.writeFieldName("rows");
        json.writeArray(matrix.rows().toArray(String[]::new), 0, matrix.rows().size());
        json.writeFieldName("columns");
        json.writeArray(matrix.columns().toArray(String[]::new), 0, matrix.columns().size());
        json.writeArrayFieldStart("cells");
        for (long[] row : matrix.cells()) {
            json.writeArray(row, 0, row.length);
        }
        json.writeEndArray();
        json.writeEndObject();
    }

    private static void value(JsonGenerator json, @Nullable Object value) throws IOException {
        if (value == null) {
            json.writeNull();
        } else if (value instanceof Long number) {
            json.writeNumber(number);
        } else {
            json.writeString((String) value);
        }
    }
}
