package dev.sluice.lab.gates;

import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.PackageTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.DocTrees;
import com.sun.source.util.JavacTask;
import com.sun.source.util.TreePathScanner;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import javax.lang.model.element.Modifier;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * Javadoc of one declaration in main code.
 *
 * @param place file and name
 * @param text the text; empty where there is none
 */
record Javadoc(String module, String place, boolean isPublicType, String text) {
    static final List<String> BAD =
            List.of("What", "Who", "Whose", "Those", "Anything", "Where", "Whether", "Words of");

    private static final Pattern BEGINS_BADLY =
            Pattern.compile("(" + String.join("|", BAD) + ")\\b.*", Pattern.DOTALL);

    boolean beginsBadly() {
        return BEGINS_BADLY.matcher(text).matches();
    }

    boolean lacks() {
        return isPublicType && text.isEmpty();
    }

    @Override
    public String toString() {
        return place + ": " + text.lines().findFirst().orElse("");
    }

    /** Javadoc of all declarations in main code, and public types that have none. */
    static List<Javadoc> of(Path root) throws IOException {
        List<Path> sources =
                CodeLines.sources(root).stream()
                        .filter(source -> source.toString().contains("/src/main/"))
                        .toList();
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        List<Javadoc> docs = new ArrayList<>();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
            JavacTask task =
                    (JavacTask)
                            compiler.getTask(
                                    null,
                                    files,
                                    null,
                                    List.of("-proc:none"),
                                    null,
                                    files.getJavaFileObjectsFromPaths(
                                            sources.stream().map(root::resolve).toList()));
            DocTrees trees = DocTrees.instance(task);
            for (CompilationUnitTree unit : task.parse()) {
                Path source = root.relativize(Path.of(unit.getSourceFile().toUri()));
                new Scanner(trees, source, docs).scan(unit, false);
            }
        }
        return docs;
    }

    /** Collects; its argument tells whether members of the type are public without saying so. */
    private static final class Scanner extends TreePathScanner<Void, Boolean> {
        private final DocTrees trees;
        private final Path source;
        private final List<Javadoc> docs;

        Scanner(DocTrees trees, Path source, List<Javadoc> docs) {
            this.trees = trees;
            this.source = source;
            this.docs = docs;
        }

        private void add(String name, boolean isPublicType) {
            String text = trees.getDocComment(getCurrentPath());
            if (isPublicType || text != null) {
                String home = source.getFileName() + ", " + name;
                docs.add(
                        new Javadoc(
                                CodeLines.module(source),
                                home,
                                isPublicType,
                                text == null ? "" : text.strip()));
            }
        }

        @Override
        public Void visitPackage(PackageTree tree, Boolean isInterface) {
            add(tree.getPackageName().toString(), false);
            return super.visitPackage(tree, isInterface);
        }

        @Override
        public Void visitClass(ClassTree tree, Boolean isInterface) {
            boolean isPublic = tree.getModifiers().getFlags().contains(Modifier.PUBLIC);
            add(tree.getSimpleName().toString(), isPublic || isInterface);
            return super.visitClass(tree, tree.getKind() == Tree.Kind.INTERFACE);
        }

        @Override
        public Void visitMethod(MethodTree tree, Boolean isInterface) {
            add(tree.getName().toString(), false);
            return super.visitMethod(tree, false);
        }

        @Override
        public Void visitVariable(VariableTree tree, Boolean isInterface) {
            add(tree.getName().toString(), false);
            return super.visitVariable(tree, false);
        }
    }
}
