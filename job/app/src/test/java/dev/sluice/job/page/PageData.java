package dev.sluice.job.page;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.zip.Inflater;
import java.util.zip.InflaterInputStream;

/** The object of a page, which the package text of {@link PageFile} describes. */
public final class PageData {
    private static final String BEGIN = "id=\"data\">";

    private PageData() {}

    /** Reads a page. */
    public static JsonNode read(Path page) throws IOException {
        String text = Files.readString(page);
        int from = text.indexOf(BEGIN) + BEGIN.length();
        byte[] packed = Base64.getDecoder().decode(text.substring(from, text.indexOf('<', from)));
        try (InflaterInputStream in =
                new InflaterInputStream(new ByteArrayInputStream(packed), new Inflater(true))) {
            return new ObjectMapper().readTree(in);
        }
    }
}
