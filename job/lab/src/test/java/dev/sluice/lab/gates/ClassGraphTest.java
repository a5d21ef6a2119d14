package dev.sluice.lab.gates;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Circles of classes, nested ones among them. */
class ClassGraphTest {
    private static List<String> circles(String... uses) {
        ClassGraph graph = new ClassGraph();
        for (String use : uses) {
            String[] ends = use.split(" ");
            graph.add("dev.sluice.p." + ends[0], "dev.sluice.p." + ends[1]);
        }
        return graph.circles();
    }

    @Test
    void aCircleIsFoundOnceWithAllItsClasses() {
        assertEquals(List.of("p: A B C"), circles("A B", "B C", "C A", "D A", "C E"));
        assertEquals(List.of("p: A B", "p: C D"), circles("A B", "B A", "B C", "C D", "D C"));
    }

    @Test
    void aChainAndAnotherPackageAreNoCircle() {
        assertEquals(List.of(), circles("A B", "B C", "A C"));
        ClassGraph graph = new ClassGraph();
        graph.add("dev.sluice.p.A", "dev.sluice.q.B");
        graph.add("dev.sluice.q.B", "dev.sluice.p.A");
        assertEquals(List.of(), graph.circles());
    }

    @Test
    void nestedTypesAreClassesOfTheirOwn() {
        assertEquals(List.of("p: A B"), circles("A A$X", "A$X B", "B A"));
        assertEquals(List.of(), circles("A B", "B A$X"));
        assertEquals(List.of("p: A.X A.Y"), circles("A$X A$Y", "A$Y A$X"));
    }

    @Test
    void aTypeMayUseWhatIsInsideIt() {
        assertEquals(List.of(), circles("A A$X", "A$X A", "A$X A$X$Y", "A$X$Y A$X"));
        assertEquals(List.of("p: A B"), circles("A$1 B", "B A"));
    }
}
