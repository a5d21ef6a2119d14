package dev.sluice.engine.lookup;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Algorithms are found by name, each once, and travel by name. */
class AlgorithmRegistryTest {
    private static final class Named extends Algorithm {

        Named(String label, int code) {
            super(
                    label,
                    code,
                    "for a test",
                    Capabilities.EVERYTHING,
                    (rules, context) -> {
                        throw new AssertionError("nothing is compiled here");
                    },
                    image -> {
                        throw new AssertionError("nothing is opened here");
                    });
        }
    }

    private static String refusal(Algorithm... algorithms) {
        return assertThrows(
                        IllegalStateException.class,
                        () -> new Algorithm.Registry(List.of(algorithms)))
                .getMessage();
    }

    @Test
    void theOrderOfTheRegistryStays() {
        Algorithm b = new Named("b", 7);
        Algorithm a = new Named("a-2", 8);
        Algorithm.Registry registry = new Algorithm.Registry(List.of(b, a));
        assertEquals(List.of(b, a), registry.all());
        assertSame(a, registry.of("a-2"));
        assertSame(b, registry.ofCode(7));
    }

    @Test
    void aLabelOrACodeIsOneAlgorithms() {
        assertTrue(
                refusal(new Named("same", 1), new Named("same", 2))
                        .contains("have the same label 'same'"));
        assertTrue(
                refusal(new Named("one", 5), new Named("two", 5)).contains("have the same code 5"));
        assertTrue(refusal(new Named("auto", 1)).contains("calls itself 'auto'"));
        assertTrue(refusal(new Named("Big", 1)).contains("calls itself 'Big'"));
        assertTrue(refusal(new Named("zero", 0)).contains("has the code 0"));
    }

    @Test
    void anUnknownLabelNamesThoseThatThereAre() {
        String none =
                assertThrows(IllegalArgumentException.class, () -> Algorithm.of("magic"))
                        .getMessage();
        assertTrue(none.startsWith("no algorithm 'magic'; there are linear, tuple,"), none);
        String choice =
                assertThrows(IllegalArgumentException.class, () -> Algorithm.parse("magic"))
                        .getMessage();
        for (String label : Algorithm.labels()) {
            assertTrue(choice.contains(label), choice);
        }
        assertThrows(IllegalArgumentException.class, () -> Algorithm.ofCode(0));
    }

    @ParameterizedTest
    @MethodSource("dev.sluice.engine.lookup.Algorithm#all")
    void anAlgorithmTravelsByItsName(Algorithm algorithm) throws Exception {
        assertSame(algorithm, Algorithm.of(algorithm.label()));
        assertSame(algorithm, Algorithm.ofCode(algorithm.code()));
        assertFalse(algorithm.summary().isEmpty());
        assertEquals(algorithm.choice(), copy(Algorithm.parse(algorithm.label())));
    }

    private static Object copy(Object value) throws IOException, ClassNotFoundException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
            out.writeObject(value);
        }
        try (ObjectInputStream in =
                new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
            return in.readObject();
        }
    }

    @Test
    void anOptionHasOneDeclaration() {
        Map<String, AlgorithmOption<?>> byName = new HashMap<>();
        for (Algorithm algorithm : Algorithm.all()) {
            for (AlgorithmOption<?> option : algorithm.options()) {
                assertSame(option, byName.computeIfAbsent(option.name(), name -> option));
                assertEquals(option.defaultValue(), option.parse(option.defaultText()));
            }
        }
    }
}
