package org.samewire.todo

import spray.json.{DefaultJsonProtocol, NullOptions, RootJsonFormat}

final case class Todo(id: Long, title: String, completed: Boolean)

/** Some todos, and the id after which there are more. */
final case class Page(items: Seq[Todo], next: Option[Long])

// What clients send. Pekko HTTP answers a `require` that fails with 400.
final case class NewTodo(title: String, completed: Option[Boolean]) {
  Todo.requireTitle(title)
}

final case class Content(title: String, completed: Boolean) {
  Todo.requireTitle(title)
}

final case class Changes(title: Option[String], completed: Option[Boolean]) {
  title.foreach(Todo.requireTitle)
}

object Todo {
  // PostgreSQL stores no NUL, and UTF-8 has no half of a surrogate pair.
  private val Storable = "[^\\x00\\p{Cs}]{1,200}".r

  def requireTitle(title: String): Unit =
    require(
      Storable.matches(title) && !title.isBlank,
      "title must have 1 to 200 characters and must not be blank"
    )
}

/** The null of `next` is written. */
object JsonFormats extends DefaultJsonProtocol with NullOptions {
  implicit val todoFormat: RootJsonFormat[Todo] = jsonFormat3(Todo.apply)
  implicit val pageFormat: RootJsonFormat[Page] = jsonFormat2(Page.apply)
  implicit val newTodoFormat: RootJsonFormat[NewTodo] = jsonFormat2(NewTodo.apply)
  implicit val contentFormat: RootJsonFormat[Content] = jsonFormat2(Content.apply)
  implicit val changesFormat: RootJsonFormat[Changes] = jsonFormat2(Changes.apply)
}
