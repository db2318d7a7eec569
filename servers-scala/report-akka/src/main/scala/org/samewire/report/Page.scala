package org.samewire.report

import akka.util.ByteString
import java.io.{BufferedWriter, OutputStreamWriter, Writer}
import java.nio.charset.StandardCharsets.UTF_8
import scalatags.Text.all._
import scalatags.Text.tags2.{main, progress, style, title}
import scalatags.generic
import scalatags.text.Builder

object Page {
  private val BesideControls = """(?<=\p{Cntrl})|(?=\p{Cntrl})""".r
  private val css =
    new String(getClass.getResourceAsStream("/report.css").readAllBytes(), UTF_8)

  /** A picture in base64: there is nothing to escape, and much to look at. */
  private final case class DataUrl(text: String)
  private implicit val dataUrl: generic.AttrValue[Builder, DataUrl] =
    (builder, attr, url) => builder.setAttr(attr.name, (writer: Writer) => writer.write(url.text))

  /** Written as bytes at once: a picture may be large, and a copy more of it would be one too many.
    */
  def apply(report: Report): ByteString = {
    val bytes = ByteString.newBuilder
    bytes.sizeHint(report.picture.length + 65536)
    val writer = new BufferedWriter(new OutputStreamWriter(bytes.asOutputStream, UTF_8))
    page(report).writeTo(writer)
    writer.flush()
    bytes.result()
  }

  // #region report.template
  /** scalatags escapes every other value. */
  private def page(report: Report): doctype = {
    import report.{picture, todos}
    val completed = todos.count(_.completed)
    // Rounded half up.
    val percentage = if (todos.isEmpty) 0 else (200 * completed + todos.size) / (2 * todos.size)

    doctype("html")(
      html(lang := "en")(
        head(
          meta(charset := "utf-8"),
          meta(name := "viewport", content := "width=device-width, initial-scale=1"),
          title("Report"),
          style(raw("\n" + css))
        ),
        body(
          main(
            h1("Report"),
            dl(
              div(dt("Total"), dd(todos.size)),
              div(dt("Completed"), dd(completed)),
              div(dt("Open"), dd(todos.size - completed)),
              div(dt("Done"), dd(s"$percentage%"))
            ),
            progress(aria.label := "Done", max := "100", value := percentage),
            table(
              thead(tr(Seq("Id", "Title", "State").map(th(attr("scope") := "col", _)))),
              tbody("\n", todos.map(row))
            ),
            figure(
              img(
                src := DataUrl(picture),
                alt := "Spheres on a checkered plane",
                widthA := 320,
                heightA := 240
              ),
              figcaption("Rendered for this report")
            )
          )
        )
      )
    )
  }

  private def row(todo: Todo): Frag =
    tr(td(todo.id), td(text(todo.title)), td(if (todo.completed) "completed" else "open"))

  /** scalatags drops control characters. A title keeps them: none of them is markup. */
  private def text(title: String): Seq[Frag] =
    BesideControls.split(title).toSeq.map { piece =>
      if (piece.length == 1 && piece.head.isControl) raw(piece) else stringFrag(piece)
    }
  // #endregion report.template
}
