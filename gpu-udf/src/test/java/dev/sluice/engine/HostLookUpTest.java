package dev.sluice.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.gpu.launch.KernelCatalog;
import dev.sluice.engine.image.Image;
import dev.sluice.engine.image.MemoryBudgetException;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.lookup.AlgorithmChoice;
import dev.sluice.engine.lookup.Oracle;
import dev.sluice.engine.lookup.UnsupportedRulesException;
import dev.sluice.engine.rules.RuleSet;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.IntBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The kernels' look-ups, compiled for the CPU, give the oracle's answers on every algorithm's
 * images, of both profiles. Needs a C++ compiler.
 */
public class HostLookUpTest {
    private static final int HEADERS = 300;

    @TempDir static Path folder;
    private static @Nullable HostKernels program;

    @BeforeAll
    public static void compile() throws Exception {
        use(new HostKernels(folder));
    }

    /** The kernels that {@link #check} runs. */
    public static void use(HostKernels kernels) {
        program = kernels;
    }

    @ParameterizedTest
    @MethodSource("dev.sluice.engine.AlgorithmsAgreeTest#stories")
    void kernelsGiveTheOraclesAnswers(AlgorithmChoice algorithm, RandomRules.Shape shape, long seed)
            throws Exception {
        RandomRules random = new RandomRules(seed * 77 + shape.ordinal());
        boolean mayRefuse =
                AlgorithmsAgreeTest.MAY_REFUSE
                        .getOrDefault(algorithm.label(), EnumSet.noneOf(RandomRules.Shape.class))
                        .contains(shape);
        boolean tables = algorithm.label().equals("rfc") || algorithm.label().equals("bitmap-rfc");
        int served = 0;
        for (int size : new int[] {0, 7, 300}) {
            if (algorithm.label().equals("routes") && size == 7 && seed == 1
                    || tables && size > 40 && shape != RandomRules.Shape.PREFIXES) {
                continue;
            }
            RuleSet rules = random.ruleSet(shape, size);
            for (EngineOptions options : AlgorithmsAgreeTest.variants(algorithm, size)) {
                String story = options + " " + shape + " seed " + seed + " size " + size;
                Image image;
                try {
                    image = Engine.compile(rules, options).image();
                } catch (UnsupportedRulesException | MemoryBudgetException e) {
                    assertTrue(mayRefuse, () -> story + " was refused: " + e.getMessage());
                    continue;
                }
                served++;
                for (String kernel : KernelCatalog.names(Algorithm.ofCode(image.algorithm()))) {
                    int[] plan = KernelCatalog.parameters(kernel, image);
                    if (plan != null && KernelCatalog.onHost(kernel)) {
                        check(rules, random, image, plan, kernel + " " + story);
                    }
                }
            }
        }
        assertTrue(served > 0, "nothing was served");
    }

    /** Runs an image's look-ups and compares their answers with the oracle's. */
    public static void check(
            RuleSet rules, RandomRules random, Image image, int[] plan, String story)
            throws Exception {
        List<int[]> asked = new ArrayList<>();
        for (int i = 0; i < HEADERS; i++) {
            asked.add(random.header(rules));
        }
        int size = image.layout().size();
        ByteBuffer in =
                ByteBuffer.allocate(4 * (3 + image.words().length + plan.length + size * HEADERS))
                        .order(ByteOrder.nativeOrder());
        in.putInt(image.words().length);
        in.asIntBuffer().put(image.words());
        in.position(in.position() + 4 * image.words().length);
        in.putInt(plan.length);
        for (int word : plan) {
            in.putInt(word);
        }
        in.putInt(HEADERS);
        for (int p = 0; p < size; p++) {
            for (int[] header : asked) {
                in.putInt(header[image.layout().word(p)]);
            }
        }
        IntBuffer answers = Objects.requireNonNull(program).run(in, story);
        for (int i = 0; i < HEADERS; i++) {
            int header = i;
            assertEquals(
                    Oracle.classify(rules, asked.get(i)),
                    answers.get(),
                    () -> story + " header " + header);
        }
    }
}
