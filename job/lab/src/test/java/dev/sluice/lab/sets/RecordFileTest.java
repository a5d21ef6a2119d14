package dev.sluice.lab.sets;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.sluice.policy.io.SluiceException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RecordFileTest {
    @TempDir Path folder;

    private static RecordFile open(Path file) {
        return new RecordFile(file, List.of("cell"), "cells");
    }

    /** Answers of a trace are numbers, one a line, and settings are objects in an object. */
    @Test
    void filesThatAreNoRecordsAreRefused() throws IOException {
        for (String text : List.of("0\n3\n-1\n", "{\"a\": {}}", "[1]", "\"text\"", "1,2")) {
            Path file = Files.writeString(folder.resolve("file"), text);
            String refused = assertThrows(SluiceException.class, () -> open(file)).getMessage();
            assertTrue(refused.contains("is not an array of cells; name another file"), refused);
            assertEquals(text, Files.readString(file));
        }
    }

    @Test
    void aFileThatCannotBeWrittenIsRefusedBeforeTheFirstRecord() {
        String in = assertThrows(SluiceException.class, () -> open(folder)).getMessage();
        assertTrue(in.contains("it is a folder; name a file in it"), in);
        Path none = folder.resolve("none/x");
        String below = assertThrows(SluiceException.class, () -> open(none)).getMessage();
        assertTrue(below.contains("there is no folder"), below);
    }

    @Test
    void recordsOfEarlierRunsStayAndAnEmptyFileIsFilled() throws IOException {
        Path file = Files.createFile(folder.resolve("file"));
        for (String cell : List.of("a", "b")) {
            open(file).put(JsonNodeFactory.instance.objectNode().put("cell", cell));
        }
        String text = Files.readString(file);
        assertTrue(text.contains("\"a\"") && text.contains("\"b\""), text);
    }
}
